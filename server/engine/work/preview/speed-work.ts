import {
  isBatchOperator,
  isSetOperator,
  makeMeasuredPictures,
  type GivenSample,
  type Media,
  type Outcome,
} from '../../../operators/index.ts';
import { getOperator } from '../samples/chain.ts';
import type { Step } from '../../orders/steps.ts';
import type { WorkerResources } from '../samples/shard-work.ts';
import type { SpeedJob, SpeedResult } from '../../orders/preview-jobs.ts';

/**
 * Measures how fast a step processes texts, one after the other, on one core. Each text is decoded from UTF-8 again for
 * every pass, as in a run, because V8 caches what regular expressions found in a string.
 */
export async function measureSpeed(
  { step, texts, cpuMs }: SpeedJob,
  resources: Pick<WorkerResources, 'operators' | 'effects'>,
  beat: () => void,
): Promise<SpeedResult> {
  const { process: pass, close } = openPass(step, resources);
  const isOfPictures = getOperator(resources.operators, step).reads.includes('media');
  const pictures = isOfPictures ? await makeMeasuredPictures() : [];
  const samplesOf = isOfPictures ? () => samplesOfPictures(pictures) : textsOf(texts);
  const perPass = isOfPictures ? pictures.length : texts.length;
  const passOnce = async (): Promise<void> => {
    await pass(samplesOf());
    beat();
  };
  try {
    // The first pass loads tables and compiles.
    await passOnce();
    const spent = isOfPictures ? startPictureClock() : startThreadClock();
    for (let samples = perPass; ; samples += perPass) {
      await passOnce();
      const spentMs = spent();
      if (spentMs >= cpuMs) return { samples, cpuMs: spentMs };
    }
  } finally {
    await close?.();
  }
}

function textsOf(texts: readonly string[]): () => Generator<GivenSample> {
  const encoded = texts.map((text) => Buffer.from(text));
  return function* () {
    for (const bytes of encoded) yield sampleOf(bytes.toString());
  };
}

/** The pictures again as new `Media` objects, because what was read of a picture is cached per object. */
function* samplesOfPictures(pictures: readonly Media[]): Generator<GivenSample> {
  for (const { type, bytes } of pictures) yield { media: [{ type, bytes }] };
}

/** CPU time of this thread in milliseconds from now on. */
function startThreadClock(): () => number {
  const started = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(started);
    return (user + system) / 1000;
  };
}

/**
 * The image library processes pictures one after the other in its own threads, whose CPU time can't be queried. That
 * time is at most the CPU time of the process, which may do other work, and at most the elapsed time, part of which may
 * be waiting: the lesser of both is returned.
 */
function startPictureClock(): () => number {
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return Math.min(performance.now() - started, (user + system) / 1000);
  };
}

/** A row with only a text. */
function sampleOf(text: string): GivenSample {
  return { text, columns: { text }, fields: {}, messages: [], media: [], scores: {} };
}

type Pass = {
  process(samples: Iterable<GivenSample>): void | Promise<void>;
  close?: (() => Promise<void>) | undefined;
};

function openPass(step: Step, { operators, effects }: Pick<WorkerResources, 'operators' | 'effects'>): Pass {
  const operator = getOperator(operators, step);
  if (isBatchOperator(operator)) {
    const runner = operator.batch(step.params, effects(0));
    return {
      async process(samples) {
        const all = [...samples];
        for (let from = 0; from < all.length; from += operator.samplesPerBatch) {
          const batch = all.slice(from, from + operator.samplesPerBatch);
          await encodeAll(await runner.run(batch, new AbortController().signal));
        }
      },
      close: runner.close?.bind(runner),
    };
  }
  if (!isSetOperator(operator)) {
    const each = operator.each(step.params);
    return {
      process(samples) {
        for (const sample of samples) each(sample);
      },
    };
  }
  const whole = operator.all(step.params);
  const keys = new Uint32Array(whole.keys);
  const words = new Uint32Array(whole.words);
  const { prepare } = operator;
  return {
    async process(samples) {
      const prepared = await prepare?.([...samples], new AbortController().signal);
      for (const sample of prepared ?? samples) whole.sign(sample as GivenSample, keys, words, '');
    },
  };
}

/** A run also encodes each picture after its last step. */
async function encodeAll(outcomes: readonly (Outcome | Error)[]): Promise<void> {
  for (const outcome of outcomes) {
    if (outcome instanceof Error) throw outcome;
    if ('media' in outcome) for (const { encode } of outcome.media ?? []) await encode?.();
  }
}
