import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import { threadCpuMs } from './cpu-time.ts';
import {
  signalSlots,
  type Breach,
  type LaneAnswer,
  type LaneName,
  type LaneRequest,
  type LaneSetup,
  type OperatorCode,
} from './lane.ts';
import type { SandboxLimits } from './limits.ts';
import { sandboxSentences } from './sentences.ts';

/** What code answered for one sample. */
export type SandboxAnswer =
  | { readonly kind: 'same' }
  | { readonly kind: 'scored'; readonly score: number }
  /** As the code answered: to be checked before it is used. */
  | { readonly kind: 'outcome'; readonly outcome: unknown }
  | { readonly kind: 'failed'; readonly reason: string; readonly isBreach?: boolean };

/** The code of an operator with parameters, ready for samples. */
export type SandboxedCode = {
  /**
   * One answer for each sample, in their order; a sample with its text alone may be passed as that text. Code that breaks a
   * limit fails the sample that it broke it on.
   */
  run(samples: readonly unknown[]): SandboxAnswer[];
  /** The most memory that it had after a batch. */
  readonly peakBytes: number;
};

/** The code can not be used. */
export class CodeRefused extends Error {
  override readonly name = 'CodeRefused';
}

/** A place for code that nobody trusts. Its calls wait for their answers: it is for worker threads and commands. */
export type Sandbox = {
  readonly lane: LaneName;
  /** Throws CodeRefused if the code or its parameters can not be used, or if it breaks a limit before the first sample. */
  open(code: OperatorCode, params: Readonly<Record<string, unknown>>): SandboxedCode;
  /** Ends its thread and process; the next call starts new ones. */
  close(): void;
};

type Lane = {
  worker: Worker;
  port: MessagePort;
  signal: Int32Array<SharedArrayBuffer>;
  opened: Set<string>;
};

const modules: Record<LaneName, URL> = {
  SAFE: new URL('quickjs-thread.ts', import.meta.url),
  FAST: new URL('isolate-thread.ts', import.meta.url),
};

const lookMs = 50;
/** A lane that answers nothing and uses no CPU time is given up after this multiple of its limit. */
const idleFactor = 10;
/** Code that is stopped so often is not called again by this caller. */
const maxBreaches = 10;
/** Time in which a thread or process starts, and slack for what the lane notices itself. */
const slackMs = 500;

export function createSandbox({ lane, limits }: { lane: LaneName; limits: SandboxLimits }): Sandbox {
  let current: Lane | undefined;
  let keys = 0;

  function start(): Lane {
    const signal = new Int32Array(new SharedArrayBuffer(4 * signalSlots.length));
    const { port1, port2 } = new MessageChannel();
    const workerData: LaneSetup & { port: typeof port2 } = { signal: signal.buffer, port: port2, ...limits };
    const worker = new Worker(modules[lane], {
      name: 'sandbox',
      workerData,
      transferList: [port2],
      env: lane === 'FAST' ? { PATH: process.env['PATH'] ?? '/usr/bin:/bin' } : {},
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb + 128, stackSizeMb: 4 },
    });
    worker.on('error', () => undefined);
    worker.unref();
    return { worker, port: port1, signal, opened: new Set() };
  }

  function close(): void {
    current?.port.close();
    current?.worker.terminate().catch(() => undefined);
    current = undefined;
  }

  /** Sends a request and waits for its answer; a lane that breaks a limit is ended. */
  function ask(request: LaneRequest): LaneAnswer {
    const used = (current ??= start());
    const before = Atomics.load(used.signal, signalSlots.answers);
    used.port.postMessage(request);
    const startCpuMs = threadCpuMs(Atomics.load(used.signal, signalSlots.tid));
    for (let waitedMs = 0; ; waitedMs += lookMs) {
      if (Atomics.wait(used.signal, signalSlots.answers, before, lookMs) !== 'timed-out') break;
      const cpuMs = threadCpuMs(Atomics.load(used.signal, signalSlots.tid));
      const isOver = cpuMs !== undefined && cpuMs - (startCpuMs ?? 0) > limits.cpuMs + slackMs;
      if (!isOver && waitedMs < idleFactor * limits.cpuMs + 10 * slackMs) continue;
      close();
      return { kind: 'breach', breach: { limit: 'time', cause: 'It gave no answer' } };
    }
    const answer = (receiveMessageOnPort(used.port)?.message ?? {
      kind: 'breach',
      breach: { limit: 'end', cause: 'It gave no answer' },
    }) as LaneAnswer;
    if (answer.kind === 'breach') close();
    return answer;
  }

  function reasonOf({ limit, cause }: Breach): string {
    const { cpuMs, memoryMb, resultBytes } = limits;
    switch (limit) {
      case 'time':
        return sandboxSentences.CODE_OVER_TIME({ seconds: cpuMs / 1000 });
      case 'memory':
        return sandboxSentences.CODE_OVER_MEMORY({ memory: memoryMb });
      case 'stack':
        return sandboxSentences.CODE_OVER_STACK({});
      case 'result':
        return sandboxSentences.CODE_RESULT_TOO_LARGE({ limit: resultBytes / (1 << 20) });
      case 'end':
        return sandboxSentences.CODE_ENDED({ cause });
    }
  }

  function open(code: OperatorCode, params: Readonly<Record<string, unknown>>): SandboxedCode {
    keys += 1;
    const key = String(keys);
    const paramsJson = JSON.stringify(params);
    let peakBytes = 0;
    let breaches = 0;

    function prepare(): Breach | undefined {
      if (current?.opened.has(key) === true) return undefined;
      const answer = ask({ op: 'open', key, code, params: paramsJson });
      if (answer.kind === 'refused') throw new CodeRefused(sandboxSentences.CODE_UNUSABLE({ cause: answer.cause }));
      if (answer.kind === 'breach') return answer.breach;
      current?.opened.add(key);
      return undefined;
    }

    function runBatch(samples: readonly unknown[]): SandboxAnswer[] | Breach {
      const broken = prepare();
      if (broken !== undefined) return broken;
      const answer = ask({ op: 'run', key, batch: new TextEncoder().encode(JSON.stringify(samples)) });
      if (answer.kind === 'breach') return answer.breach;
      if (answer.kind !== 'done') return { limit: 'end', cause: 'It gave another answer' };
      peakBytes = Math.max(peakBytes, answer.peakBytes);
      return (
        readAnswers(answer.answers, samples.length) ?? { limit: 'end', cause: 'It gave another number of answers' }
      );
    }

    /** Code that has caught up with a limit itself answers, but its sandbox is not used again. */
    function afterBreach(answer: SandboxAnswer): SandboxAnswer {
      if (answer.kind === 'failed' && answer.isBreach === true) {
        breaches += 1;
        close();
      }
      return answer;
    }

    const broken = prepare();
    if (broken !== undefined) throw new CodeRefused(reasonOf(broken));
    return {
      get peakBytes() {
        return peakBytes;
      },
      run(samples) {
        if (samples.length === 0) return [];
        const givenUp = { kind: 'failed', reason: sandboxSentences.CODE_GIVEN_UP({ times: maxBreaches }) } as const;
        if (breaches >= maxBreaches) return samples.map(() => givenUp);
        const together = runBatch(samples);
        if (Array.isArray(together)) return together.map(afterBreach);
        // Which sample broke the limit is found by passing them one by one.
        return samples.map((sample) => {
          if (breaches >= maxBreaches) return givenUp;
          const alone = samples.length === 1 ? together : runBatch([sample]);
          if (Array.isArray(alone)) return alone.map(afterBreach)[0] ?? { kind: 'same' };
          breaches += 1;
          return { kind: 'failed', reason: reasonOf(alone) };
        });
      },
    };
  }

  /** Answers are found by their place alone: nothing in them can name another sample. */
  function readAnswers(bytes: Uint8Array, count: number): SandboxAnswer[] | undefined {
    const answers = parseJson(Buffer.from(bytes).toString('utf8'));
    if (!Array.isArray(answers) || answers.length !== count) return undefined;
    return answers.map(readAnswer);
  }

  function readAnswer(answer: unknown): SandboxAnswer {
    const [kind, value] = (Array.isArray(answer) ? answer : []) as unknown[];
    if (kind === 0) return { kind: 'same' };
    if (kind === 1) return { kind: 'outcome', outcome: value };
    if (kind === 3 && typeof value === 'number') return { kind: 'scored', score: value };
    const problem = String(value);
    if (problem === '\u0000memory' || problem === '\u0000stack') {
      const limit = problem === '\u0000memory' ? 'memory' : 'stack';
      return { kind: 'failed', reason: reasonOf({ limit, cause: '' }), isBreach: true };
    }
    return { kind: 'failed', reason: problem };
  }

  return { lane, open, close };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
