import {
  isBatchOperator,
  isSampleOperator,
  isSetOperator,
  parseParams,
  type MeasureScale,
  type Operator,
} from '../../../operators/index.ts';
import type { Step } from '../../orders/steps.ts';
import type { ProfileFigures } from '../../orders/profile-jobs.ts';
import {
  createSketch,
  histogramOf,
  mergeSketch,
  quantilesOf,
  storedSketch,
  type HistogramBin,
  type Quantiles,
  type Sketch,
} from '../../orders/sketch.ts';

/** Distribution of one number that an operator measures. */
export type ProfileScore = {
  operatorId: string;
  score: string;
  description: string;
  scale: MeasureScale;
  /** Number of texts with this number. */
  count: number;
  histogram: HistogramBin[];
  /** Null if there are no texts. */
  quantiles: Quantiles | null;
};

export type ProfileShare = { value: string; share: number };

/** What a profile reports about the samples of a dataset before they are cleaned. */
export type Profile = {
  /** Samples that were read, failed ones included. */
  sampled: number;
  failed: number;
  skipped: number;
  texts: number;
  scores: ProfileScore[];
  /** By label of an operator, most frequent first. */
  labels: { operatorId: string; label: string; shares: ProfileShare[] }[];
  encodings: ProfileShare[];
  /** Samples that a step would drop as duplicates of earlier ones. */
  duplicates: { exact: number; near: number };
};

/** Whether an operator measures or labels texts, whatever its parameters are. */
function isProfiled(operator: Operator): boolean {
  if (!operator.reads.every((part) => part === 'text')) return false;
  if (isSetOperator(operator)) return operator.finds !== undefined;
  if (isBatchOperator(operator)) return false;
  const { measures = [], measure, label, thresholds } = operator;
  return label !== undefined || (measures.length > 0 && (measure !== undefined || thresholds !== undefined));
}

/** The steps of a profile: every operator that measures or labels texts, with its default parameters. */
export function profileSteps(operators: readonly Operator[]): Step[] {
  return operators.filter(isProfiled).flatMap((operator) => {
    const parsed = parseParams(operator, {});
    return parsed.ok ? [{ operatorId: operator.id, version: operator.version, params: parsed.params }] : [];
  });
}

/** Adds up the figures of the parts of a dataset. */
export type ProfileSum = { add(figures: ProfileFigures): void; figures(): ProfileFigures };

export function createProfileSum(steps: readonly Step[]): ProfileSum {
  const sketches: Sketch[][] = steps.map(() => []);
  const labels = steps.map(() => new Map<string, number>());
  const encodings = new Map<string, number>();
  const sum = { samples: 0, failed: 0, skipped: 0, texts: 0 };
  return {
    add(figures) {
      for (const name of ['samples', 'failed', 'skipped', 'texts'] as const) sum[name] += figures[name];
      for (const [step, all] of figures.sketches.entries()) {
        for (const [index, sketch] of all.entries())
          mergeSketch(((sketches[step] ??= [])[index] ??= createSketch()), sketch);
      }
      for (const [step, counts] of figures.labels.entries()) addCounts(labels[step], counts);
      addCounts(encodings, figures.encodings);
    },
    figures: () => ({
      ...sum,
      sketches: sketches.map((all) => all.map(storedSketch)),
      labels: labels.map((counts) => Object.fromEntries(counts)),
      encodings: Object.fromEntries(encodings),
    }),
  };
}

function addCounts(sums: Map<string, number> | undefined, counts: Readonly<Record<string, number>>): void {
  for (const [value, count] of Object.entries(counts)) sums?.set(value, (sums.get(value) ?? 0) + count);
}

/** Builds the profile from its figures; `dropped`: number of samples that each set step would drop. */
export function profileOf(
  operators: readonly Operator[],
  steps: readonly Step[],
  { samples, failed, skipped, texts, sketches, labels, encodings }: ProfileFigures,
  dropped: readonly { step: number; count: number }[],
): Profile {
  const used = steps.map(({ operatorId }) => operators.find(({ id }) => id === operatorId));
  const duplicatesOf = (kind: 'EXACT' | 'NEAR'): number =>
    dropped.reduce((most, { step, count }) => {
      const operator = used[step];
      return operator !== undefined && isSetOperator(operator) && operator.finds === kind
        ? Math.max(most, count)
        : most;
    }, 0);
  return {
    sampled: samples,
    failed,
    skipped,
    texts,
    scores: used.flatMap((operator, step) =>
      (operator?.measures ?? []).map(({ name, description, scale }, index) => {
        const sketch = createSketch();
        const stored = sketches[step]?.[index];
        if (stored !== undefined) mergeSketch(sketch, stored);
        return {
          operatorId: operator?.id ?? '',
          score: name,
          description,
          scale,
          count: sketch.count,
          histogram: histogramOf(sketch, scale),
          quantiles: quantilesOf(sketch, scale),
        };
      }),
    ),
    labels: used.flatMap((operator, step) =>
      operator === undefined || !isSampleOperator(operator) || operator.label === undefined
        ? []
        : [{ operatorId: operator.id, label: operator.label.name, shares: sharesOf(labels[step] ?? {}) }],
    ),
    encodings: sharesOf(encodings),
    duplicates: { exact: duplicatesOf('EXACT'), near: duplicatesOf('NEAR') },
  };
}

/** Most frequent first. */
function sharesOf(counts: Readonly<Record<string, number>>): ProfileShare[] {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return Object.entries(counts)
    .toSorted(([one, few], [other, many]) => many - few || (one < other ? -1 : 1))
    .map(([value, count]) => ({ value, share: count / all }));
}
