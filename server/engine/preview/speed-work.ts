import { isBatchOperator, isSetOperator, type GivenSample } from '../../operators/index.ts';
import { getOperator, type Step } from '../samples/chain.ts';
import type { WorkerResources } from '../samples/shard-work.ts';

/** `cpuMs`: the CPU time to measure for, at least. */
export type SpeedJob = { step: Step; texts: readonly string[]; cpuMs: number };

/** Samples processed and the CPU time of the thread that they took; steps over the whole set only sign them. */
export type SpeedResult = { samples: number; cpuMs: number };

/**
 * Measures how fast a step processes texts, one after the other, on one core. Each is decoded from UTF-8 as in a run: V8
 * remembers what expressions found in a string that it has seen.
 */
export async function measureSpeed(
  { step, texts, cpuMs }: SpeedJob,
  resources: Pick<WorkerResources, 'operators' | 'effects'>,
  beat: () => void,
): Promise<SpeedResult> {
  const { process: pass, close } = openPass(step, resources);
  const encoded = texts.map((text) => Buffer.from(text));
  const samplesOf = function* (): Generator<GivenSample> {
    for (const bytes of encoded) yield sampleOf(bytes.toString());
  };
  const passOnce = async (): Promise<void> => {
    await pass(samplesOf());
    beat();
  };
  try {
    // The first pass loads tables and compiles.
    await passOnce();
    const started = process.threadCpuUsage();
    for (let samples = texts.length; ; samples += texts.length) {
      await passOnce();
      const { user, system } = process.threadCpuUsage(started);
      const spentMs = (user + system) / 1000;
      if (spentMs >= cpuMs) return { samples, cpuMs: spentMs };
    }
  } finally {
    await close?.();
  }
}

/** A row with a text alone. */
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
    const runner = operator.batch(step.params, effects);
    return {
      async process(samples) {
        const all = [...samples];
        for (let from = 0; from < all.length; from += operator.samplesPerBatch) {
          await runner.run(all.slice(from, from + operator.samplesPerBatch), new AbortController().signal);
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
  return {
    process(samples) {
      for (const sample of samples) whole.sign(sample, keys, words, '');
    },
  };
}
