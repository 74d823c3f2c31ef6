// The records of data cleaning, written from the document of the API as those of `shapes.ts` are.
import Type from 'typebox';
import { Id, Time, Count, Percentage, nullable, Counts } from './shapes.ts';

export const CleaningTask = Type.Object({
  id: Id,
  name: Type.String({ minLength: 1 }),
  sourceDatasetId: Id,
  sourceDatasetName: Type.String(),
  targetDatasetId: nullable(Id),
  targetDatasetName: nullable(Type.String()),
  status: Type.Enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED']),
  progress: Percentage,
  counts: nullable(Counts),
  startedAt: nullable(Time),
  finishedAt: nullable(Time),
  lastRunId: nullable(Id),
  createdAt: Time,
  createdBy: Type.String({ minLength: 1 }),
});

export const CleaningTemplate = Type.Object({
  id: Id,
  name: Type.String({ minLength: 1 }),
  description: Type.String(),
  steps: Type.Array(Type.Object({ operatorId: Type.String(), params: Type.Record(Type.String(), Type.Unknown()) })),
  builtIn: Type.Boolean(),
  createdAt: Time,
  createdBy: Type.String({ minLength: 1 }),
  updatedAt: Time,
  updatedBy: Type.String({ minLength: 1 }),
});

const verdict = Type.Enum(['KEPT', 'CHANGED', 'DROPPED', 'FAILED']);
const previewText = Type.Object({ text: Type.String(), truncated: Type.Boolean(), length: Count });

/** A sample on its way through the steps. */
export const SampleTrace = Type.Object({
  filePath: Type.String({ minLength: 1 }),
  row: nullable(Count),
  verdict,
  operatorId: nullable(Type.String()),
  reason: nullable(Type.String()),
  steps: Type.Array(
    Type.Object({
      step: Count,
      operatorId: Type.String(),
      verdict,
      before: previewText,
      after: Type.Array(previewText),
      score: nullable(Type.Number()),
      reason: nullable(Type.String()),
    }),
  ),
  texts: Type.Array(previewText),
});

export const CleaningPreview = Type.Object({
  sourceVersion: Count,
  samples: Type.Array(SampleTrace),
  steps: Type.Array(
    Type.Object({ operatorId: Type.String(), in: Count, changed: Count, dropped: Count, failed: Count }),
  ),
  drawn: nullable(Type.Object({ seed: Count, from: Count, total: Count, isExact: Type.Boolean() })),
  uncheckedFiles: Type.Array(Type.String()),
});

const shares = Type.Array(Type.Object({ value: Type.String(), share: Type.Number({ minimum: 0, maximum: 1 }) }));
const quantile = Type.Number();

export const CleaningProfile = Type.Object({
  sourceVersion: Count,
  sampled: Count,
  total: Count,
  failed: Count,
  skipped: Count,
  texts: Count,
  drawn: nullable(Type.Object({ seed: Count, from: Count, total: Count, isExact: Type.Boolean() })),
  scores: Type.Array(
    Type.Object({
      operatorId: Type.String(),
      score: Type.String(),
      histogram: Type.Array(Type.Object({ from: Type.Number(), to: Type.Number(), count: Count })),
      quantiles: nullable(
        Type.Object({
          p0: quantile,
          p5: quantile,
          p25: quantile,
          p50: quantile,
          p75: quantile,
          p95: quantile,
          p100: quantile,
        }),
      ),
    }),
  ),
  languages: shares,
  encodings: shares,
  duplicates: Type.Object({ exact: Count, near: Count }),
});

export const ProfileRun = Type.Object({
  run: Type.Object({ id: Id, status: Type.String(), progress: Type.Number(), error: nullable(Type.String()) }),
  sourceDatasetId: Id,
  sourceVersion: Count,
  profile: Type.Optional(CleaningProfile),
});

const ledgerEntry = {
  sampleId: Id,
  filePath: Type.String({ minLength: 1 }),
  row: nullable(Count),
  verdict,
  operatorId: nullable(Type.String()),
  reason: nullable(Type.String()),
  scores: Type.Array(Type.Object({ step: Count, operatorId: Type.String(), score: Type.Number() })),
  rawText: nullable(Type.String()),
};

export const LedgerEntry = Type.Object(ledgerEntry);

export const LedgerSample = Type.Object({
  ...ledgerEntry,
  sourceDatasetId: Id,
  fileId: Id,
  version: Type.Integer({ minimum: 1 }),
  steps: SampleTrace.properties.steps,
  texts: Type.Array(previewText),
  traceProblem: nullable(Type.String()),
});

export const Rethreshold = Type.Object({
  kept: Type.Object({
    atLeast: Count,
    atMost: Count,
    estimate: Count,
    likely: Type.Object({ from: Count, to: Count }),
    method: Type.Enum(['COUNTED', 'PREDICTION_INTERVAL']),
  }),
  counts: Type.Object({ in: Count, kept: Count, changed: Count, dropped: Count, failed: Count, unknown: Count }),
  steps: Type.Array(
    Type.Object({ step: Count, operatorId: Type.String(), in: Count, dropped: Count, failed: Count, unknown: Count }),
  ),
});
