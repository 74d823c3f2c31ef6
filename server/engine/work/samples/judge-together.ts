import { reasonOf } from '../../../kernel/reasoned-error.ts';
import { foreign, inputProblems } from '../../../kernel/sentences/index.ts';
import type { BatchRunner, GivenSample, Outcome } from '../../../operators/index.ts';
import type { SamplePlace } from '../sets/signatures.ts';
import { openSeveral, type SeveralFlow, type SeveralSteps, type TextCall } from './judge-several.ts';
import {
  isChange,
  isOne,
  judgementOf,
  setNamedScores,
  scoreOf,
  setScore,
  StepFailure,
  type ChainInput,
  type Judgement,
  type StepScore,
  type Trace,
} from './judgement.ts';
import type { FlowingSample, StepOutcome } from '../../orders/sample-parts.ts';

/** A step that processes samples in batches. */
export type BatchStep = { readonly runner: BatchRunner; readonly size: number };

/** What samples that pass through the steps together need from a chain. */
export type TogetherSteps = SeveralSteps & {
  /** By step; undefined for steps that process samples one by one. */
  readonly batches: readonly (BatchStep | undefined)[];
  /** By step; set for a whole-set step that prepares its samples in batches before it signs them. */
  readonly preparing: readonly (BatchStep | undefined)[];
  /** By step, whether it needs the encoded bytes of media. */
  readonly readsBytes: readonly boolean[];
  /** Calls a step that processes samples one by one. */
  callGiven(step: number, given: GivenSample): Outcome;
  /** The sample as the step's operator receives it. */
  givenTo(step: number, sample: FlowingSample): GivenSample;
  /** Checks an operator's outcome for a sample; throws StepFailure, also if the outcome is an error. */
  settle(call: SettledCall, trace: Trace | undefined): StepOutcome;
};

/** A call of a batch step with its outcome. */
export type SettledCall = {
  step: number;
  sample: FlowingSample;
  given: GivenSample;
  outcome: Outcome | Error;
  field?: string | undefined;
};

/** A sample as read, with its place in the shard. */
export type PlacedInput = { readonly place: SamplePlace; readonly input: ChainInput; readonly trace?: Trace };

/** Observes which samples are being processed. */
export type TogetherWatch = {
  /** One sample enters a step alone. */
  enter(place: SamplePlace): void;
  /** The samples with these numbers, and no others, enter a step together. */
  batch(step: number, from: number, to: number): void;
  /** Whether the sample must not share a batch with others. */
  isAlone(ordinal: number): boolean;
  /** Called after each step, while everything the traces saw is still in memory. */
  passed?(): Promise<void>;
  /** Called with a sample and its judgement; the returned judgement replaces it. */
  judged?(placed: PlacedInput, judgement: Judgement): Promise<Judgement>;
};

type Flow = SeveralFlow & {
  readonly placed: PlacedInput;
  /** Encodes pictures that are not encoded yet; the sample fails if that fails. */
  encodeMedia(): Promise<void>;
};

/** A row can't hold media. */
const noMedia = (): Promise<void> => Promise.resolve();

/** Passes samples through the steps: a whole batch through each step before the next, in order. */
export async function judgeTogether(
  steps: TogetherSteps,
  samples: readonly PlacedInput[],
  watch: TogetherWatch,
): Promise<Judgement[]> {
  const size = Math.max(...[...steps.batches, ...steps.preparing].map((batch) => batch?.size ?? 1));
  const judgements: Judgement[] = [];
  for (let from = 0; from < samples.length; from += size) {
    const flows = samples.slice(from, from + size).map((placed) => openFlow(steps, placed));
    for (const [step, batch] of steps.batches.entries()) {
      if (steps.readsBytes[step] === true) for (const flow of flows) await flow.encodeMedia();
      const prepare = steps.preparing[step];
      if (batch !== undefined) await passBatch(steps, { step, batch }, flows, watch);
      else if (prepare !== undefined) await passPrepared(steps, { step, batch: prepare }, flows, watch);
      else passEach(steps, step, flows, watch);
      await watch.passed?.();
    }
    for (const flow of flows) await flow.encodeMedia();
    for (const flow of flows) {
      const judgement = flow.judgement();
      judgements.push((await watch.judged?.(flow.placed, judgement)) ?? judgement);
    }
  }
  return judgements;
}

function openFlow(steps: TogetherSteps, placed: PlacedInput): Flow {
  const { input } = placed;
  if ('texts' in input) return { placed, ...openSeveral(steps, input), encodeMedia: noMedia };
  return { placed, ...openSingle(steps, input) };
}

function passEach(steps: TogetherSteps, step: number, flows: readonly Flow[], watch: TogetherWatch): void {
  for (const { placed, pass, callsOf } of flows) {
    if (callsOf(step).length === 0) continue;
    watch.enter(placed.place);
    pass(step, (sample, _index, field) => steps.call(step, sample, placed.trace, field));
  }
}

type OpenCall = TextCall & { readonly given: GivenSample; readonly ordinal: number };

async function passBatch(
  steps: TogetherSteps,
  at: { step: number; batch: BatchStep },
  flows: readonly Flow[],
  watch: TogetherWatch,
): Promise<void> {
  await passCalls(steps, at, flows, watch, (_placed, outcome) => outcome);
}

/** Prepares samples in batches; the whole-set step then signs or judges them in order. */
async function passPrepared(
  steps: TogetherSteps,
  at: { step: number; batch: BatchStep },
  flows: readonly Flow[],
  watch: TogetherWatch,
): Promise<void> {
  await passCalls(steps, at, flows, watch, ({ place }, outcome, given) => {
    if (outcome instanceof Error) return outcome;
    watch.enter(place);
    try {
      const made = steps.callGiven(at.step, outcome as GivenSample);
      return made === outcome ? given : made;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  });
}

async function passCalls(
  steps: TogetherSteps,
  { step, batch }: { step: number; batch: BatchStep },
  flows: readonly Flow[],
  watch: TogetherWatch,
  outcomeOf: (placed: PlacedInput, outcome: Outcome | Error, given: GivenSample) => Outcome | Error,
): Promise<void> {
  const started = performance.now();
  const callsByFlow = flows.map(({ placed, callsOf }) =>
    callsOf(step).map((call) => ({
      ...call,
      given: steps.givenTo(step, call.sample),
      ordinal: placed.place.ordinal,
    })),
  );
  const outcomes = new Map<OpenCall, Outcome | Error>();
  for (const calls of batchesOf(callsByFlow.flat(), batch.size, watch)) {
    const results = await callBatch(step, batch, calls, watch);
    for (const [index, call] of calls.entries()) outcomes.set(call, results[index] ?? new Error(wrongCount));
  }
  steps.figureOf(step).ms += performance.now() - started;
  for (const [number, { placed, pass }] of flows.entries()) {
    const calls = callsByFlow[number] ?? [];
    pass(step, (sample, index, field) => {
      const call = calls[index];
      const outcome = call === undefined ? undefined : outcomes.get(call);
      if (call === undefined || outcome === undefined) throw new RangeError('The sample was not in the batch');
      return steps.settle(
        { step, sample, given: call.given, outcome: outcomeOf(placed, outcome, call.given), field },
        placed.trace,
      );
    });
  }
}

const wrongCount = 'The operator answered with another number of samples than it was given';

/** Calls a batch; if it fails as a whole, calls each of its samples alone, so that only the culprits fail. */
async function callBatch(
  step: number,
  batch: BatchStep,
  calls: readonly OpenCall[],
  watch: TogetherWatch,
): Promise<readonly (Outcome | Error)[]> {
  const [first, last] = [calls[0], calls.at(-1)];
  if (first === undefined || last === undefined) return [];
  watch.batch(step, first.ordinal, last.ordinal);
  const abort = new AbortController();
  try {
    const given = calls.map((call) => call.given);
    const outcomes: unknown = await batch.runner.run(given, abort.signal);
    if (!Array.isArray(outcomes) || outcomes.length !== calls.length) throw new TypeError(wrongCount);
    return outcomes as (Outcome | Error)[];
  } catch (error) {
    abort.abort();
    if (calls.length === 1) return [error instanceof Error ? error : new Error(String(error))];
    const each: (Outcome | Error)[] = [];
    for (const call of calls) each.push(...(await callBatch(step, batch, [call], watch)));
    return each;
  }
}

function* batchesOf(
  calls: readonly OpenCall[],
  size: number,
  { isAlone }: TogetherWatch,
): Generator<readonly OpenCall[]> {
  let next: OpenCall[] = [];
  for (const call of calls) {
    const alone = isAlone(call.ordinal);
    if (next.length > 0 && (alone || next.length === size)) {
      yield next;
      next = [];
    }
    next.push(call);
    if (alone) {
      yield next;
      next = [];
    }
  }
  if (next.length > 0) yield next;
}

async function encoded(sample: FlowingSample): Promise<FlowingSample> {
  const media = sample.written?.media;
  if (media?.some(({ encode }) => encode !== undefined) !== true) return sample;
  const all = await Promise.all(
    media.map(async (one) => (one.encode === undefined ? one : { type: one.type, bytes: await one.encode() })),
  );
  return { ...sample, written: { ...sample.written, media: all } };
}

/** A part of a split sample: still in progress, or what ended it. */
type Part = { readonly sample: FlowingSample } | { readonly ended: Pick<Judgement, 'step' | 'reason'> };

/** A sample with one text, or the parts that it was split into, on its way through the steps. */
function openSingle({ figureOf }: SeveralSteps, input: Extract<ChainInput, { text: string }>): Omit<Flow, 'placed'> {
  const { text, source } = input;
  let parts: Part[] = [{ sample: source === undefined ? { text } : { text, source } }];
  let scores: StepScore[] | null = null;
  let failed: Judgement | undefined;
  /** The last step that changed the sample. */
  let mediaStep: number | null = null;

  function after(step: number, sample: FlowingSample, outcome: StepOutcome): Part[] {
    const figure = figureOf(step);
    if ('verdict' in outcome) {
      if (outcome.score !== undefined) scores = setScore(scores, scoreOf(step, outcome.score, outcome.matches));
      if (outcome.verdict === 'drop') {
        figure.dropped += 1;
        return [{ ended: { step, reason: outcome.reason } }];
      }
    }
    if (isChange(outcome, sample)) figure.changed += 1;
    const samples = 'verdict' in outcome ? [outcome.sample] : isOne(outcome) ? [outcome] : outcome;
    for (const one of samples) {
      if (one.scores !== sample.scores) scores = setNamedScores(scores, step, sample, one);
    }
    if (samples.length === 0) return [{ ended: { step, reason: inputProblems.SPLIT_INTO_NOTHING.reason({}) } }];
    return samples.map((one) => ({ sample: one }));
  }

  return {
    callsOf: () =>
      failed === undefined
        ? parts.flatMap((part) => ('sample' in part ? [{ sample: part.sample, field: undefined }] : []))
        : [],
    pass(step, call) {
      if (failed !== undefined) return;
      let index = 0;
      try {
        parts = parts.flatMap((part) => {
          if (!('sample' in part)) return [part];
          figureOf(step).in += 1;
          const outcome = call(part.sample, index, undefined);
          index += 1;
          if (!('verdict' in outcome) && isChange(outcome, part.sample)) mediaStep = step;
          return after(step, part.sample, outcome);
        });
      } catch (error) {
        if (!(error instanceof StepFailure)) throw error;
        figureOf(step).failed += 1;
        failed = { verdict: 'FAILED', texts: [], step, reason: error.reason, scores };
      }
    },
    async encodeMedia() {
      try {
        parts = await Promise.all(
          parts.map(async (part) => ('sample' in part ? { sample: await encoded(part.sample) } : part)),
        );
      } catch (error) {
        const reason = error instanceof Error ? reasonOf(error) : foreign(String(error));
        failed ??= { verdict: 'FAILED', texts: [], step: mediaStep, reason, scores };
        if (mediaStep !== null) figureOf(mediaStep).failed += 1;
      }
    },
    judgement() {
      if (failed !== undefined) return failed;
      const kept = parts.flatMap((part) => ('sample' in part ? [part.sample] : []));
      const ends = parts.flatMap((part) => ('ended' in part ? [part.ended] : []));
      const written = kept.some((sample) => sample.written !== undefined)
        ? kept.map((sample) => sample.written)
        : undefined;
      return judgementOf(text, { texts: kept.map((sample) => sample.text), written, scores, ended: ends.at(-1) });
    },
  };
}
