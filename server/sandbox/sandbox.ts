import { foreign, type Reason } from '../kernel/sentences/index.ts';
import { ReasonedError } from '../kernel/reasoned-error.ts';
import { packSamples, readAnswers, type RawAnswer, type SandboxAnswer } from './batches.ts';
import { startLane, type LaneThread } from './lane-thread.ts';
import { engineOf, type Breach, type EngineName, type LaneName, type OperatorCode } from './lane.ts';
import type { SandboxLimits } from './limits.ts';
import { sandboxSentences } from './sentences.ts';
import { createSlicer } from './slices.ts';

/** The code of an operator with parameters, ready for samples. */
export type SandboxedCode = {
  /**
   * Returns one answer per sample, in their order; a sample that only has a text may be passed as that text. Code that
   * exceeds a limit only fails the sample on which it did. `progressed` is called whenever more samples have been
   * answered.
   */
  run(samples: readonly unknown[], progressed?: () => void): SandboxAnswer[];
  /** Maximum memory after any batch. */
  readonly peakBytes: number;
  /** Releases it; a later call starts it anew. */
  close(): void;
};

/** The code can not be used. */
export class CodeRefused extends ReasonedError {
  override readonly name = 'CodeRefused';
}

/** Runs untrusted code. Its calls block until they are answered: for worker threads and commands only. */
export type Sandbox = {
  readonly lane: LaneName;
  /**
   * Throws CodeRefused if the code or its parameters can not be used, or if it exceeds a limit before the first sample.
   * With `isStrict`, the first batch that exceeds a limit throws it too: the sample is then not searched for.
   */
  open(
    code: OperatorCode,
    params: Readonly<Record<string, unknown>>,
    options?: { readonly isStrict?: boolean },
  ): SandboxedCode;
  /** Ends its threads and processes; the next call starts new ones. */
  close(): void;
};

/** Batches in flight: the lane works on one while the caller prepares the next. */
const batchesAhead = 3;
/** Code that was stopped this often is not called again by this caller. */
const maxBreaches = 10;

type Batch = { readonly samples: readonly unknown[]; readonly postedMs: number };

export function createSandbox({ lane, limits }: { lane: LaneName; limits: SandboxLimits }): Sandbox {
  const threads = new Map<EngineName, LaneThread>();
  let keys = 0;

  function close(): void {
    for (const engine of threads.keys()) end(engine);
  }

  function end(engine: EngineName): void {
    threads.get(engine)?.end();
    threads.delete(engine);
  }

  function start(engine: EngineName): LaneThread {
    const started = threads.get(engine) ?? startLane(engine, limits);
    threads.set(engine, started);
    return started;
  }

  function reasonOf({ limit, cause }: Breach): Reason {
    const { cpuMs, memoryMb, resultBytes } = limits;
    switch (limit) {
      case 'time':
        return sandboxSentences.CODE_OVER_TIME.reason({ seconds: Math.round(cpuMs / 100) / 10 });
      case 'memory':
        return sandboxSentences.CODE_OVER_MEMORY.reason({ memory: memoryMb });
      case 'stack':
        return sandboxSentences.CODE_OVER_STACK.reason({});
      case 'result':
        return sandboxSentences.CODE_RESULT_TOO_LARGE.reason({ limit: resultBytes / (1 << 20) });
      case 'end':
        return sandboxSentences.CODE_ENDED.reason({ cause: foreign(cause) });
    }
  }

  function open(
    code: OperatorCode,
    params: Readonly<Record<string, unknown>>,
    { isStrict = false } = {},
  ): SandboxedCode {
    keys += 1;
    const key = String(keys);
    const engine = engineOf(lane, code.kind);
    const current = (): LaneThread | undefined => threads.get(engine);
    const paramsJson = JSON.stringify(params);
    const slicer = createSlicer();
    let peakBytes = 0;
    let breaches = 0;

    /** Opens the code if it is not open; the lane has no pending requests then. */
    function prepare(starting?: () => void): Breach | undefined {
      const used = start(engine);
      if (used.opened.has(key)) return undefined;
      used.post({ op: 'open', key, code, params: paramsJson });
      const answer = used.receive(starting);
      if (answer.kind === 'refused')
        throw new CodeRefused(sandboxSentences.CODE_UNUSABLE.reason({ cause: foreign(answer.cause) }));
      if (answer.kind === 'breach') {
        end(engine);
        return answer.breach;
      }
      used.opened.add(key);
      return undefined;
    }

    /** The answers to the earliest posted batch; undefined if the lane has closed the code meanwhile. */
    function receive(used: LaneThread, count: number): RawAnswer[] | Breach | undefined {
      const answer = used.receive();
      if (answer.kind === 'unknown') return undefined;
      const broken = answer.kind === 'breach' ? answer.breach : undefined;
      const answers = answer.kind === 'done' ? readAnswers(answer.answers, count) : undefined;
      if (answer.kind === 'done') peakBytes = Math.max(peakBytes, answer.peakBytes);
      if (answers !== undefined) return answers;
      end(engine);
      return broken ?? { limit: 'end', cause: 'Its answers can not be read' };
    }

    /** Code that caught an exceeded limit still answers, but its sandbox is not used again. */
    function settle(answer: RawAnswer): SandboxAnswer {
      if (answer.kind !== 'problem') return answer;
      const { problem, sentence = null } = answer;
      if (problem !== '\u0000memory' && problem !== '\u0000stack') return failedBy({ text: problem, sentence });
      breaches += 1;
      end(engine);
      const limit = problem === '\u0000memory' ? 'memory' : 'stack';
      return failedBy(reasonOf({ limit, cause: '' }));
    }

    /** Runs the samples of a batch one by one to find the one that exceeded the limit. */
    function runAlone(sample: unknown, progressed: () => void): SandboxAnswer {
      if (breaches >= maxBreaches) return givenUp;
      for (;;) {
        const broken = prepare(progressed);
        const used = current();
        if (broken === undefined) used?.postBatch(key, (allocate) => packSamples([sample], allocate));
        const answers = broken ?? (used === undefined ? undefined : receive(used, 1));
        if (answers === undefined) {
          used?.opened.clear();
          continue;
        }
        const [answer] = Array.isArray(answers) ? answers : [];
        if (answer !== undefined) return settle(answer);
        breaches += 1;
        return failedBy(reasonOf(answers as Breach));
      }
    }

    /** Keeps the lane busy; returns the index of the next sample to post. */
    function postAhead(used: LaneThread, samples: readonly unknown[], from: number, ahead: Batch[]): number {
      let next = from;
      while (ahead.length < batchesAhead && next < samples.length) {
        const slice = slicer.cut(samples, next);
        used.postBatch(key, (allocate) => packSamples(slice, allocate));
        ahead.push({ samples: slice, postedMs: performance.now() });
        next += slice.length;
      }
      return next;
    }

    function run(samples: readonly unknown[], progressed: () => void = () => {}): SandboxAnswer[] {
      const answers: SandboxAnswer[] = [];
      const ahead: Batch[] = [];
      let next = 0;
      while (answers.length < samples.length) {
        if (breaches >= maxBreaches) return [...answers, ...samples.slice(answers.length).map(() => givenUp)];
        const broken = ahead.length === 0 ? prepare(progressed) : undefined;
        const used = current();
        if (used !== undefined) next = postAhead(used, samples, next, ahead);
        const batch = ahead.shift() ?? { samples: slicer.cut(samples, next), postedMs: 0 };
        const received = broken ?? (used === undefined ? undefined : receive(used, batch.samples.length));
        if (received === undefined) used?.opened.clear();
        else if (!Array.isArray(received)) answers.push(...aloneAll(batch.samples, received, progressed));
        else {
          slicer.took(batch.samples.length, performance.now() - batch.postedMs, batchesAhead);
          for (const answer of received) answers.push(settle(answer));
        }
        progressed();
        if (current() === used && received !== undefined) continue;
        // The lane was ended or has closed the code: its pending batches get no answers.
        if (received === undefined) for (const _ of ahead) used?.receive();
        ahead.length = 0;
        next = answers.length;
      }
      return answers;
    }

    function aloneAll(samples: readonly unknown[], together: Breach, progressed: () => void): SandboxAnswer[] {
      if (isStrict) throw new CodeRefused(reasonOf(together));
      if (samples.length === 1) {
        breaches += 1;
        return [failedBy(reasonOf(together))];
      }
      return samples.map((sample) => {
        progressed();
        return runAlone(sample, progressed);
      });
    }

    const givenUp = failedBy(sandboxSentences.CODE_GIVEN_UP.reason({ times: maxBreaches }));
    const broken = prepare();
    if (broken !== undefined) throw new CodeRefused(reasonOf(broken));
    return {
      get peakBytes() {
        return peakBytes;
      },
      run,
      close() {
        const held = current();
        if (held?.opened.delete(key) === true) held.post({ op: 'close', key });
      },
    };
  }

  return { lane, open, close };
}

function failedBy({ text, sentence }: Reason): SandboxAnswer {
  return sentence === null ? { kind: 'failed', reason: text } : { kind: 'failed', reason: text, sentence };
}
