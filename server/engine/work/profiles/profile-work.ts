import { countFailure, type FailureCounts } from '../../../kernel/failure-counts.ts';
import { foreign, type Reason } from '../../../kernel/sentences/index.ts';
import {
  createTextViews,
  isBatchOperator,
  isSetOperator,
  type Operator,
  type TextViews,
  type WholeSet,
} from '../../../operators/index.ts';
import { getOperator } from '../samples/chain.ts';
import type { Step } from '../../orders/steps.ts';
import { openSampleWalk, readOffered } from '../samples/sample-walk.ts';
import type { WorkerResources } from '../samples/shard-work.ts';
import { reduceShards } from '../sets/reduction.ts';
import { createSignatureCollector, type SignatureCollector } from '../sets/signatures.ts';
import type { InputFacts } from '../../orders/shard.ts';
import { addValue, createSketch, storedSketch, type Sketch } from '../../orders/sketch.ts';
import type { ProfileJob, ProfileResult } from '../../orders/profile-jobs.ts';

type Gauge = { operator: Operator; take(text: string): void; sketches: Sketch[]; labels: Map<string, number> };

/** Measures the samples of the pieces by the operators of the recipe, each of which gets the text as it was read. */
export function profileSamples(job: ProfileJob, resources: WorkerResources): ProfileResult {
  const { operators, progress } = resources;
  const { steps } = job.recipe;
  const views = createTextViews();
  const gauges = steps.map((step) => createGauge(getOperator(operators, step), step, views));
  const sets = steps.flatMap((step, index) => {
    const operator = getOperator(operators, step);
    if (!isSetOperator(operator)) return [];
    const whole = operator.all(step.params);
    return [{ step: index, whole, collector: createSignatureCollector(whole) }];
  });
  const facts = new Map<number, InputFacts>();
  const samplesOf = new Map<number, number>();
  const failures: FailureCounts = new Map();
  let texts = 0;
  let failed = 0;

  function fail(reason: Reason): void {
    failed += 1;
    countFailure(failures, reason);
  }

  const walk = openSampleWalk(job, resources, {
    parts: new Set(['text']),
    describe(piece, input) {
      facts.set(piece, input);
    },
    sample(place, offered, lost) {
      samplesOf.set(place.piece, (samplesOf.get(place.piece) ?? 0) + 1);
      const found = readOffered(offered, lost);
      if ('problem' in found) {
        fail(found.problem);
        return;
      }
      const all = 'texts' in found ? found.texts.map(({ text }) => text) : [found.text];
      let step = 0;
      try {
        for (const gauge of gauges) {
          progress.step(step);
          for (const text of all) gauge.take(text);
          step += 1;
        }
        const [only = ''] = all;
        const whole = all.length === 1 ? only : all.join('\n');
        for (const { step: at, collector } of sets) {
          progress.step(at);
          collector.take(place, { text: whole });
        }
        texts += all.length;
      } catch (error) {
        fail(foreign(`${steps[step]?.operatorId ?? ''}: ${error instanceof Error ? error.message : String(error)}`));
      }
    },
  });
  walk.all();
  const { rows, samples, skipped } = walk.counts;
  const encodings: Record<string, number> = {};
  for (const [piece, count] of samplesOf) {
    const encoding = facts.get(piece)?.encoding;
    if (encoding !== undefined) encodings[encoding] = (encodings[encoding] ?? 0) + count;
  }
  const figures = {
    samples,
    failed,
    skipped,
    texts,
    sketches: gauges.map((gauge) => gauge.sketches.map(storedSketch)),
    labels: gauges.map((gauge) => Object.fromEntries(gauge.labels)),
    encodings,
  };
  const paths = job.pieces.map(({ path }) => path);
  return {
    figures,
    rows,
    failures,
    signatures: job.compares ? [] : sets.map(({ step, collector }) => ({ step, bytes: collector.bytes(paths) })),
    dropped: job.compares ? sets.map(({ step, ...set }) => ({ step, count: countDropped(set, paths, progress) })) : [],
  };
}

function createGauge(operator: Operator, { params }: Step, texts: TextViews): Gauge {
  const measures = operator.measures ?? [];
  const sketches = measures.map(() => createSketch());
  const labels = new Map<string, number>();
  const add = (values: readonly (number | undefined)[]): void => {
    for (const [index, { scale }] of measures.entries()) {
      const sketch = sketches[index];
      const value = values[index];
      if (sketch !== undefined && value !== undefined) addValue(sketch, scale, value);
    }
  };
  const gauge = { operator, sketches, labels };
  if (isSetOperator(operator)) return { ...gauge, take: () => {} };
  if (isBatchOperator(operator)) throw new Error(`${operator.id} tells nothing of single texts`);
  const { measure, label } = operator;
  if (label !== undefined) {
    return {
      ...gauge,
      take(text) {
        const found = label.of({ text });
        labels.set(found, (labels.get(found) ?? 0) + 1);
      },
    };
  }
  if (measure !== undefined) return { ...gauge, take: (text) => add(measure({ text })) };
  const each = operator.each(params, { texts });
  return {
    ...gauge,
    take(text) {
      const outcome = each({ text });
      add(['verdict' in outcome ? outcome.score : undefined]);
    },
  };
}

function countDropped(
  { whole, collector }: { whole: WholeSet; collector: SignatureCollector },
  paths: readonly string[],
  progress: WorkerResources['progress'],
): number {
  const bytes = collector.bytes(paths);
  const read = (target: Uint8Array, position: number): number => {
    const part = bytes.subarray(position, position + target.length);
    target.set(part);
    return part.length;
  };
  let beats = 0;
  const beat = (): void => {
    beats = (beats + 1) | 0;
    progress.sample(beats);
  };
  return reduceShards(whole, [{ read, firstRow: 0 }], { write: () => {}, beat }).dropped;
}
