import { type Static, Type } from 'typebox';
import {
  codeFields,
  DocumentReceiptSchema,
  IdSchema,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
} from '../../../http/schemas.ts';
import { CountsSchema } from '../../../tasks/schemas.ts';
import {
  LedgerMatchSchema,
  lineField,
  PreviewPictureSchema,
  PreviewTextSchema,
  rowField,
  StepTraceSchema,
} from './previews.ts';
import { StepsSchema, VerdictSchema } from './tasks.ts';

export const LedgerQuery = Type.Object({
  ...pageQuery,
  verdict: Type.Optional(VerdictSchema),
  operatorId: Type.Optional(Type.String({ description: 'Samples that this operator dropped or failed on' })),
  reasonCode: Type.Optional(
    Type.String({ description: 'Samples whose reason has this code; OTHER for reasons without a code' }),
  ),
  search: Type.Optional(
    Type.String({
      description:
        'Part of the path, the reason, the raw text or the text that was read; not case-sensitive. Texts are searched in the source for about 20 s: see `unsearched`',
    }),
  ),
  filePath: Type.Optional(Type.String({ description: 'Samples of this file' })),
  row: Type.Optional(Type.Integer({ minimum: 1, description: 'Data row of that file, from 1; requires filePath' })),
});

export type LedgerQuery = Static<typeof LedgerQuery>;

const sourceField = { sourceDatasetId: Type.String({ description: 'Dataset that contains the file' }) };

export const LedgerEntrySchema = namedObject('LedgerEntry', {
  sampleId: Type.String(),
  filePath: Type.String({ description: 'In a run with several sources, includes the folder of its source' }),
  ...sourceField,
  row: rowField,
  line: lineField,
  verdict: VerdictSchema,
  operatorId: nullable(Type.String({ description: 'Operator that dropped it or failed' })),
  reason: nullable(Type.String()),
  ...codeFields('reason'),
  field: nullable(Type.String({ description: 'Field of the affected text, if the row has several' })),
  scores: Type.Array(
    namedObject('StepScore', {
      step: Type.Integer(),
      operatorId: Type.String(),
      name: nullable(Type.String({ description: 'Name of the score; null: the score on which the operator decides' })),
      score: Type.Number({ description: 'Lowest score, if the row has several texts' }),
      highest: nullable(Type.Number({ description: 'Highest score, if the row has several texts; else null' })),
    }),
  ),
  rawText: nullable(
    Type.String({
      description:
        'Unreadable line of a table: its first 10,000 characters in a list, its first 1 MiB for a single sample',
    }),
  ),
  receipt: Type.Union([DocumentReceiptSchema, Type.Null()]),
  matches: Type.Array(LedgerMatchSchema, {
    description: 'The longest parts of the text at a step that also occur in the datasets that the step compares with',
  }),
});

export const LedgerPageSchema = namedObject('LedgerEntryPage', {
  ...pageOf(LedgerEntrySchema).properties,
  unsearched: Type.Integer({
    description:
      'Samples whose texts were not searched, because time ran out or the source is gone; they may also match',
  }),
});

export const LedgerSummarySchema = namedObject('LedgerSummary', {
  counts: CountsSchema,
  sources: Type.Array(
    namedObject('SourceSummary', {
      datasetId: Type.String(),
      datasetName: Type.String({ description: 'Current name; the name of its folder if the dataset was deleted' }),
      version: Type.Integer({ description: 'Version that was read' }),
      folder: Type.String({ description: 'Folder of its files in the run' }),
      counts: CountsSchema,
    }),
    { description: 'For a run with several sources, the counts of each; they add up to `counts`' },
  ),
  steps: Type.Array(
    namedObject('StepSummary', {
      step: Type.Integer({ description: 'From 0' }),
      operatorId: Type.String(),
      version: Type.String(),
      digest: nullable(Type.String({ description: 'Digest of the package of a published operator' })),
      in: Type.Integer(),
      changed: Type.Integer(),
      dropped: Type.Integer(),
      failed: Type.Integer(),
      ms: Type.Number({ description: 'Milliseconds spent in the operator, summed over all workers' }),
    }),
  ),
  groups: Type.Array(
    namedObject('LedgerGroup', {
      verdict: VerdictSchema,
      step: nullable(Type.Integer({ description: 'Step that dropped the samples or failed on them, from 0' })),
      operatorId: nullable(Type.String()),
      reasonCode: nullable(Type.String({ description: 'Null if there is no reason or it has no code' })),
      reason: nullable(Type.String({ description: 'The text of this code, with `{name}` for its values' })),
      count: Type.Integer(),
    }),
    { description: 'All samples by verdict, step and reason, the largest group first' },
  ),
});

export type LedgerSummary = Static<typeof LedgerSummarySchema>;

const RunInputSchema = namedObject('RunInput', {
  filePath: Type.String(),
  ...sourceField,
  format: nullable(Type.String()),
  compression: nullable(oneOf('Compression', ['gzip', 'zstd', 'bzip2'], { description: 'How the file is compressed' })),
  encoding: nullable(Type.String({ description: 'Encoding of a text file or line-based table; null for others' })),
  guessed: Type.Boolean({
    description:
      'Whether the encoding is a guess: neither confirmed by a byte order mark or by all bytes, nor set by the task',
  }),
  certainty: nullable(
    oneOf('EncodingCertainty', ['CERTAIN', 'LIKELY', 'UNSURE', 'GIVEN'], {
      description: 'Certainty of the encoding; GIVEN: set by the task',
    }),
  ),
  fields: Type.Union([Type.Array(Type.String()), Type.Null()], { description: 'Columns that hold the text' }),
  samples: Type.Integer(),
  skipped: nullable(Type.String({ description: 'Why the file was skipped; null for one that was read' })),
  ...codeFields('skipped'),
});

export const RunInputPageSchema = pageOf(RunInputSchema);

const FailedLine = Type.Unsafe<string>({
  type: 'string',
  description:
    'One JSON line per failed sample, in the order of the input: `{sampleId, filePath, row, line, operatorId, reason, encoding, raw}`. `raw` ' +
    'holds its original bytes, as text (`encoding: "utf-8"`) or in base64 (`"base64"`): for a table the row without its line end, for Parquet the ' +
    'text column as JSON, for a document the whole file. Both are null for samples that were written (KEEP), discarded (DROP), or damaged on disk.',
});

export const failedResponses = {
  200: {
    description: 'The failed samples of the run; while it is running, those so far',
    content: { 'application/jsonl': { schema: FailedLine } },
  },
};

export const SampleParams = Type.Object({ id: IdSchema, runId: IdSchema, sampleId: IdSchema });

/** One sample of a run and its path through the steps. */
export const LedgerSampleSchema = namedObject('LedgerSample', {
  ...LedgerEntrySchema.properties,
  fileId: Type.String({ description: 'The file of the source dataset' }),
  version: Type.Integer({ description: 'The version of the source dataset that the run read' }),
  steps: Type.Array(StepTraceSchema, {
    description: 'Effect of each step, recomputed from the source version of the run',
  }),
  texts: Type.Array(PreviewTextSchema, { description: 'The resulting text' }),
  pictures: Type.Array(PreviewPictureSchema, { description: 'Referenced by steps and results' }),
  traceProblem: nullable(Type.String({ description: 'Why the steps could not be recomputed; otherwise null' })),
  ...codeFields('traceProblem'),
});

export type LedgerSample = Static<typeof LedgerSampleSchema>;

export const RethresholdBody = namedObject('RethresholdRequest', { steps: StepsSchema });

const unknown = Type.Integer({
  description:
    'Dropped in the run but passed by these thresholds; later steps have not processed them, so their verdict is unknown',
});

export const RethresholdSchema = namedObject('Rethreshold', {
  counts: namedObject(
    'RethresholdCounts',
    {
      in: Type.Integer({ description: 'kept + dropped + failed + unknown' }),
      kept: Type.Integer(),
      changed: Type.Integer({ description: 'Kept samples that are known to be changed' }),
      dropped: Type.Integer(),
      failed: Type.Integer(),
      unknown,
    },
    { description: 'Counts with these thresholds that are certain' },
  ),
  kept: namedObject(
    'KeptBounds',
    {
      atLeast: Type.Integer(),
      atMost: Type.Integer(),
      estimate: Type.Integer({
        description:
          'Assumes that deduplication decides as in the run and that unknown samples pass later steps at the same rate as known ones',
      }),
      likely: namedObject(
        'LikelyKept',
        { from: Type.Integer(), to: Type.Integer() },
        { description: 'Where the number lies with a probability of 95 % under these assumptions' },
      ),
      method: oneOf('KeptMethod', ['COUNTED', 'PREDICTION_INTERVAL'], {
        description:
          'COUNTED: the number is certain. PREDICTION_INTERVAL: normal approximation of the binomial prediction interval, widened by the share of duplicates',
      }),
    },
    { description: 'How many samples would be kept; all are equal if the number is certain' },
  ),
  steps: Type.Array(
    namedObject('RethresholdStep', {
      step: Type.Integer({ description: 'From 0' }),
      operatorId: Type.String(),
      in: Type.Integer({ description: 'Samples that reach this step' }),
      dropped: Type.Integer(),
      failed: Type.Integer(),
      unknown,
    }),
  ),
});

export type Rethreshold = Static<typeof RethresholdSchema>;
