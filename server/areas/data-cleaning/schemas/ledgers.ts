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
    Type.String({ description: 'Samples whose reason has this code; OTHER for reasons that have none' }),
  ),
  search: Type.Optional(
    Type.String({
      description:
        'Part of the path, the reason, the raw text or the text that was read, whatever its case. Texts are searched in the source, for some 20 s: see `unsearched`',
    }),
  ),
  filePath: Type.Optional(Type.String({ description: 'Samples of this file' })),
  row: Type.Optional(Type.Integer({ minimum: 1, description: 'Data row of that file, from 1; requires filePath' })),
});

export type LedgerQuery = Static<typeof LedgerQuery>;

const sourceField = { sourceDatasetId: Type.String({ description: 'Dataset that the file is of' }) };

export const LedgerEntrySchema = namedObject('LedgerEntry', {
  sampleId: Type.String(),
  filePath: Type.String({ description: 'In a run with several sources, with the folder of its source' }),
  ...sourceField,
  row: rowField,
  line: lineField,
  verdict: VerdictSchema,
  operatorId: nullable(Type.String({ description: 'Operator that dropped it or failed' })),
  reason: nullable(Type.String()),
  ...codeFields('reason'),
  field: nullable(Type.String({ description: 'Field of the text concerned, if the row has several' })),
  scores: Type.Array(
    namedObject('StepScore', {
      step: Type.Integer(),
      operatorId: Type.String(),
      name: nullable(Type.String({ description: 'Name of the score; null: the score that the operator decides by' })),
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
    description: 'What of the text at a step occurs in the datasets that the step compares with: the longest parts',
  }),
});

export const LedgerPageSchema = namedObject('LedgerEntryPage', {
  ...pageOf(LedgerEntrySchema).properties,
  unsearched: Type.Integer({
    description: 'Samples whose texts were not searched: there was no time, or the source is gone. They may match, too',
  }),
});

export const LedgerSummarySchema = namedObject('LedgerSummary', {
  counts: CountsSchema,
  sources: Type.Array(
    namedObject('SourceSummary', {
      datasetId: Type.String(),
      datasetName: Type.String({ description: 'Its name now; that of its folder if it was deleted' }),
      version: Type.Integer({ description: 'Version that was read' }),
      folder: Type.String({ description: 'Folder of its files in the run' }),
      counts: CountsSchema,
    }),
    { description: 'Of a run with several sources, the counts of each; they add up to `counts`' },
  ),
  steps: Type.Array(
    namedObject('StepSummary', {
      step: Type.Integer({ description: 'From 0' }),
      operatorId: Type.String(),
      version: Type.String(),
      digest: nullable(Type.String({ description: 'Of the package of a published operator' })),
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
      reasonCode: nullable(Type.String({ description: 'Null without a reason, or for reasons without a code' })),
      reason: nullable(Type.String({ description: 'The sentence of this code, with `{name}` for its values' })),
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
  encoding: nullable(Type.String({ description: 'Of a text file or a table of lines; null for others' })),
  guessed: Type.Boolean({
    description: 'Whether the encoding is a guess: neither a mark, nor all bytes, nor the task says so',
  }),
  certainty: nullable(
    oneOf('EncodingCertainty', ['CERTAIN', 'LIKELY', 'UNSURE', 'GIVEN'], {
      description: 'How sure the encoding is; GIVEN: by the task',
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
    'A line of JSON for each failed sample, in the order of the input: `{sampleId, filePath, row, line, operatorId, reason, encoding, raw}`. `raw` ' +
    'holds its original bytes, as text (`encoding: "utf-8"`) or in base64 (`"base64"`): of a table its row without the line end, of Parquet the ' +
    'column of the text as JSON, of a document the whole file. Both are null for what was written (KEEP), left out on purpose (DROP), or damaged on the disk.',
});

export const failedResponses = {
  200: {
    description: 'The failed samples of the run; of one that is still going on, those so far',
    content: { 'application/jsonl': { schema: FailedLine } },
  },
};

export const SampleParams = Type.Object({ id: IdSchema, runId: IdSchema, sampleId: IdSchema });

/** One sample of a run and its path through the steps. */
export const LedgerSampleSchema = namedObject('LedgerSample', {
  ...LedgerEntrySchema.properties,
  steps: Type.Array(StepTraceSchema, {
    description: 'Effect of each step, computed again from the source version of the run',
  }),
  texts: Type.Array(PreviewTextSchema, { description: 'The resulting text' }),
  pictures: Type.Array(PreviewPictureSchema, { description: 'Named by steps and results' }),
  traceProblem: nullable(Type.String({ description: 'Why the steps could not be computed again; else null' })),
  ...codeFields('traceProblem'),
});

export type LedgerSample = Static<typeof LedgerSampleSchema>;

export const RethresholdBody = namedObject('RethresholdRequest', { steps: StepsSchema });

const unknown = Type.Integer({
  description:
    'Dropped in the run but kept by these thresholds; later steps have not processed them, so their verdict is unknown',
});

export const RethresholdSchema = namedObject('Rethreshold', {
  counts: namedObject(
    'RethresholdCounts',
    {
      in: Type.Integer({ description: 'kept + dropped + failed + unknown' }),
      kept: Type.Integer(),
      changed: Type.Integer({ description: 'Kept samples that are changed, as far as known' }),
      dropped: Type.Integer(),
      failed: Type.Integer(),
      unknown,
    },
    { description: 'Counts with these thresholds, as far as they are certain' },
  ),
  kept: namedObject(
    'KeptBounds',
    {
      atLeast: Type.Integer(),
      atMost: Type.Integer(),
      estimate: Type.Integer({
        description:
          'If deduplication decides as in the run, and unknown samples fare like the known ones that passed the same step',
      }),
    },
    { description: 'How many samples would be kept; all three are equal if it is certain' },
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
