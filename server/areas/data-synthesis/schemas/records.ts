import { type Static, Type } from 'typebox';
import {
  codeFields,
  IdSchema,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  TimestampSchema,
} from '../../../http/schemas.ts';
import { outputFormats } from './tasks.ts';
import { MendedSchema, MessageSchema, UsageSchema } from './calls.ts';
import { ColumnValueSchema } from './columns.ts';
import { SampleSourceSchema, synthesisVerdicts } from './previews.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

const verdict = oneOf('SynthesisVerdict', synthesisVerdicts);

const review = oneOf('SynthesisReview', ['ACCEPTED', 'REJECTED']);

const OutputSchema = recordOf(Type.Unknown());

export const RecordSchema = namedObject('SynthesisRecord', {
  id: IdSchema,
  number: Type.Integer({ description: 'Position in source order, from 1' }),
  verdict,
  reason: nullable(Type.String({ description: 'Why it was dropped or failed' })),
  ...codeFields('reason'),
  column: nullable(
    Type.String({ description: 'The column at which it was dropped or failed; null if it was the record as a whole' }),
  ),
  output: Type.Union([OutputSchema, Type.Null()], { description: 'The edited content, if it was edited' }),
  generated: Type.Union([OutputSchema, Type.Null()], {
    description: 'The original reply of the model, if it was edited; otherwise null',
  }),
  prompt: Type.Array(MessageSchema, { description: 'Prompt sent to the model; empty for a template with columns' }),
  columns: Type.Union([Type.Array(ColumnValueSchema), Type.Null()], {
    description:
      'All generated columns, including hidden ones, in generation order; null for a template with one prompt',
  }),
  model: Type.String(),
  usage: UsageSchema,
  score: nullable(Type.Number({ description: 'Score of the judge, 0 to 10; the lowest if judges are columns' })),
  judgement: nullable(Type.String({ description: 'Reason given by the judge' })),
  mended: MendedSchema,
  source: SampleSourceSchema,
  sourceText: nullable(
    Type.String({ description: 'What the record was generated from: the chunk, or the text of the row' }),
  ),
  template: namedObject('SynthesisRecordTemplate', { id: IdSchema, version: Type.Integer() }),
  sequence: Type.Integer({ description: 'Number of the call for its sample' }),
  edited: Type.Boolean(),
  review: nullable(review),
  reviewReason: nullable(Type.String()),
  reviewedBy: nullable(Type.String({ description: 'User who last edited, accepted, rejected or regenerated it' })),
  createdAt: TimestampSchema,
});

export type RecordView = Static<typeof RecordSchema>;

export const RecordPageSchema = pageOf(RecordSchema);

export const RecordsQuery = Type.Object({
  ...pageQuery,
  runId: Type.Optional(Type.String({ maxLength: 64, description: 'Default: the latest run' })),
  verdict: Type.Optional(verdict),
  reasonCode: Type.Optional(Type.String({ maxLength: 100, description: 'Code of the reason' })),
  column: Type.Optional(Type.String({ maxLength: 64, description: 'The column at which they were dropped or failed' })),
  review: Type.Optional(oneOf('SynthesisReviewFilter', ['ACCEPTED', 'REJECTED', 'NONE'])),
  edited: Type.Optional(Type.Boolean()),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Part of the record or of the path of its source' }),
  ),
});

export type RecordsQuery = Static<typeof RecordsQuery>;

export const FacetsQuery = Type.Object({ runId: RecordsQuery.properties.runId });

export const FacetsSchema = namedObject('SynthesisFacets', {
  facets: Type.Array(
    namedObject('SynthesisFacet', {
      verdict,
      reasonCode: nullable(Type.String()),
      reason: nullable(Type.String({ description: 'Text of the code, with `{name}` for each value' })),
      column: nullable(Type.String({ description: 'The column at which they were dropped or failed' })),
      review: nullable(review),
      count: Type.Integer(),
    }),
    { description: 'All records of the run, as they are now' },
  ),
});

export type Facets = Static<typeof FacetsSchema>;

export const RecordParams = Type.Object({ id: IdSchema, recordId: IdSchema });

export const RecordChangesBody = namedObject('SynthesisRecordChanges', {
  output: recordOf(Type.Unknown(), {
    maxProperties: 200,
    description: 'According to the schema of the template',
  }),
});

export type RecordChanges = Static<typeof RecordChangesBody>;

export const RejectionBody = namedObject('SynthesisRejection', {
  reason: Type.Optional(Type.String({ maxLength: 500 })),
});

export type Rejection = Static<typeof RejectionBody>;

export const ExportBody = namedObject('NewSynthesisExport', {
  format: Type.Optional(oneOf('SynthesisFormat', outputFormats, { description: 'Default: the format of the task' })),
  provenance: Type.Optional(Type.Boolean({ description: 'Default: as the task says' })),
});

export type NewExport = Static<typeof ExportBody>;

export const ExportSchema = namedObject('SynthesisExport', {
  datasetId: IdSchema,
  version: Type.Integer(),
  records: Type.Integer({ description: 'Records that were written' }),
  runId: Type.String({ description: 'The run of these records: the latest that has any' }),
  runNumber: Type.Integer(),
  notWritten: Type.Integer({ description: 'Records that are not a conversation, as the format requires' }),
});

export type ExportResult = Static<typeof ExportSchema>;

export const ForecastSchema = namedObject('SynthesisForecast', {
  samples: Type.Integer(),
  records: Type.Integer(),
  calls: Type.Integer({ description: 'Including those of the judge' }),
  promptTokens: Type.Integer({ description: 'Tokens of all prompts, counted as o200k_base' }),
  inputTokens: Type.Integer({ description: 'Based on what the model counted for similar tasks' }),
  outputTokens: Type.Integer(),
  cost: nullable(Type.Number({ description: 'Null for a model without prices' })),
  seconds: nullable(Type.Integer({ description: 'Null before the first run with the model' })),
  isExact: Type.Boolean({ description: 'Whether the samples were counted; otherwise they are estimated by size' }),
  basis: oneOf('SynthesisForecastBasis', ['PRESET', 'EXPERIENCE'], {
    description: 'Whether reply lengths and times come from earlier runs with the model and the type of template',
  }),
});

export type Forecast = Static<typeof ForecastSchema>;

const error = nullable(Type.Number({ description: 'Relative deviation: 0.1 means 10 % more than estimated' }));

export const RunUsageSchema = namedObject('SynthesisRunUsage', {
  forecast: Type.Union([ForecastSchema, Type.Null()], { description: 'When all samples were known; null until then' }),
  actual: namedObject('SynthesisActualUsage', {
    records: Type.Integer(),
    calls: Type.Integer({
      description: 'All attempts in the ledger, including repairs, failures and regenerated records',
    }),
    known: Type.Integer({ description: 'Records whose replies were all in the ledger' }),
    inputTokens: Type.Integer(),
    outputTokens: Type.Integer(),
    cost: Type.Number(),
    seconds: Type.Number({ description: 'Time spent on generating records' }),
  }),
  error: namedObject('SynthesisForecastError', {
    calls: error,
    inputTokens: error,
    outputTokens: error,
    cost: error,
    seconds: error,
  }),
});

export type RunUsage = Static<typeof RunUsageSchema>;

const share = (description: string) => Type.Number({ description });

export const DiversitySchema = namedObject('SynthesisDiversity', {
  records: Type.Integer({ description: 'Records of the result' }),
  measured: Type.Integer({ description: 'Number of records measured; at most 20,000, chosen evenly' }),
  distinct: Type.Array(
    namedObject('SynthesisDistinct', {
      words: Type.Integer({ description: 'Length of the word sequences' }),
      share: share('Distinct sequences as a share of all sequences'),
    }),
    { description: 'distinct-1, -2 and -3 over all records together' },
  ),
  nearDuplicates: share('Share of the records that are similar to an earlier one: more than 0.8, estimated by MinHash'),
  lengths: namedObject('SynthesisLengths', {
    quantiles: namedObject('SynthesisLengthQuantiles', {
      p0: Type.Integer(),
      p25: Type.Integer(),
      p50: Type.Integer(),
      p75: Type.Integer(),
      p100: Type.Integer(),
    }),
    histogram: Type.Array(
      namedObject('SynthesisLengthBar', { from: Type.Integer(), to: Type.Integer(), count: Type.Integer() }),
    ),
  }),
  coverage: share('Share of the samples with a kept record'),
  samples: Type.Integer(),
  samplesWithRecords: Type.Integer(),
});

export type Diversity = Static<typeof DiversitySchema>;
