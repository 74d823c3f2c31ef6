import { isSetOperator, type GivenSample, type Operator } from '../../operators/index.ts';
import { getOperator, type Step } from '../samples/chain.ts';

/** `cpuMs`: the CPU time to measure for, at least. */
export type SpeedJob = { step: Step; texts: readonly string[]; cpuMs: number };

/** Samples processed and the CPU time of the thread that they took; steps over the whole set only sign them. */
export type SpeedResult = { samples: number; cpuMs: number };

/**
 * Measures how fast a step processes texts, one after the other, on one core. Each is decoded from UTF-8 as in a run: V8
 * remembers what expressions found in a string that it has seen.
 */
export function measureSpeed(
  { step, texts, cpuMs }: SpeedJob,
  operators: readonly Operator[],
  beat: () => void,
): SpeedResult {
  const each = eachOf(getOperator(operators, step), step);
  const encoded = texts.map((text) => Buffer.from(text));
  const pass = (): void => {
    for (const bytes of encoded) each(sampleOf(bytes.toString()));
    beat();
  };
  // The first pass loads tables and compiles.
  pass();
  const started = process.threadCpuUsage();
  for (let samples = texts.length; ; samples += texts.length) {
    pass();
    const { user, system } = process.threadCpuUsage(started);
    const spentMs = (user + system) / 1000;
    if (spentMs >= cpuMs) return { samples, cpuMs: spentMs };
  }
}

/** A row with a text alone. */
function sampleOf(text: string): GivenSample {
  return { text, columns: { text }, fields: {}, messages: [], media: [], scores: {} };
}

function eachOf(operator: Operator, { params }: Step): (sample: GivenSample) => unknown {
  if (!isSetOperator(operator)) return operator.each(params);
  const whole = operator.all(params);
  const keys = new Uint32Array(whole.keys);
  const words = new Uint32Array(whole.words);
  return (sample) => whole.sign(sample, keys, words);
}
