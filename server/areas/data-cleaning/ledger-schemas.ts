import { Type, type Static } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf, pageOf, pageQuery } from '../../http/schemas.ts';
import { PreviewTextSchema, StepTraceSchema } from './preview-schemas.ts';
import { CountsSchema } from '../../tasks/schemas.ts';
import { StepsSchema, VerdictSchema } from './schemas.ts';

export const LedgerQuery = Type.Object({
  ...pageQuery,
  verdict: Type.Optional(VerdictSchema),
  operatorId: Type.Optional(Type.String({ description: 'Samples that this operator dropped or failed on' })),
  search: Type.Optional(Type.String({ description: 'Part of the path, the reason or the raw text' })),
  filePath: Type.Optional(Type.String({ description: 'Samples of this file' })),
  row: Type.Optional(Type.Integer({ minimum: 0, description: 'Row of that file, from 0; needs filePath' })),
});
export type LedgerQuery = Static<typeof LedgerQuery>;

/** Of documents that are read into Markdown: PDF, Office and OpenDocument files, RTF, EPUB, HTML, e-mail. */
export const DocumentReceiptSchema = namedObject('DocumentReceipt', {
  format: Type.String({ description: 'By the content, not by the name' }),
  title: nullable(Type.String()),
  pageKind: nullable(oneOf('PageKind', ['page', 'slide', 'sheet'])),
  pagesIn: nullable(Type.Integer({ description: 'Pages, slides or sheets of the document; null where it has none' })),
  pagesOut: nullable(Type.Integer({ description: 'Those with text' })),
  characters: Type.Integer({ description: 'Code points of the text' }),
  tables: Type.Integer(),
  images: Type.Integer({ description: 'Pictures and charts, which are not in the text' }),
  warnings: Type.Array(Type.String({ description: 'What was left out or looks wrong' })),
});

export const LedgerEntrySchema = namedObject('LedgerEntry', {
  sampleId: Type.String(),
  filePath: Type.String(),
  row: nullable(Type.Integer({ description: 'Row of a table from 0; null for a document' })),
  verdict: VerdictSchema,
  operatorId: nullable(Type.String({ description: 'Operator that dropped it or failed' })),
  reason: nullable(Type.String()),
  scores: Type.Array(
    namedObject('StepScore', {
      step: Type.Integer(),
      operatorId: Type.String(),
      name: nullable(
        Type.String({ description: 'Of a figure that the operator gave a name; null: it judged by this one' }),
      ),
      score: Type.Number(),
    }),
  ),
  rawText: nullable(
    Type.String({
      description:
        "A table's line that could not be read: in a page its first 10,000 characters, of one sample the first 1 MiB",
    }),
  ),
  receipt: Type.Union([DocumentReceiptSchema, Type.Null()]),
});
export const LedgerPageSchema = pageOf(LedgerEntrySchema);

export const LedgerSummarySchema = namedObject('LedgerSummary', {
  counts: CountsSchema,
  steps: Type.Array(
    namedObject('StepSummary', {
      step: Type.Integer({ description: 'From 0' }),
      operatorId: Type.String(),
      in: Type.Integer(),
      changed: Type.Integer(),
      dropped: Type.Integer(),
      failed: Type.Integer(),
      ms: Type.Number({ description: 'Milliseconds that the operator took, over all workers' }),
    }),
  ),
});

export const SampleParams = Type.Object({ id: IdSchema, runId: IdSchema, sampleId: IdSchema });

/** One sample of a run with its way through the steps. */
export const LedgerSampleSchema = namedObject('LedgerSample', {
  ...LedgerEntrySchema.properties,
  steps: Type.Array(StepTraceSchema, {
    description: 'What each step made of it, worked out once more from the version of the source that the run read',
  }),
  texts: Type.Array(PreviewTextSchema, { description: 'What became of its text' }),
  traceProblem: nullable(Type.String({ description: 'Why its way could not be worked out once more; else null' })),
});
export type LedgerSample = Static<typeof LedgerSampleSchema>;

export const RethresholdBody = namedObject('RethresholdRequest', { steps: StepsSchema });

const unknown = Type.Integer({
  description:
    'Left out in the run, let pass now: the later steps have not seen them, so that nobody knows what becomes of them',
});

export const RethresholdSchema = namedObject('Rethreshold', {
  counts: namedObject(
    'RethresholdCounts',
    {
      in: Type.Integer({ description: 'kept + dropped + failed + unknown' }),
      kept: Type.Integer(),
      changed: Type.Integer({ description: 'Of those kept, as far as it is known' }),
      dropped: Type.Integer(),
      failed: Type.Integer(),
      unknown,
    },
    { description: 'What would become of the samples' },
  ),
  steps: Type.Array(
    namedObject('RethresholdStep', {
      step: Type.Integer({ description: 'From 0' }),
      operatorId: Type.String(),
      in: Type.Integer({ description: 'Samples that come to this step' }),
      dropped: Type.Integer(),
      failed: Type.Integer(),
      unknown,
    }),
  ),
});
export type Rethreshold = Static<typeof RethresholdSchema>;
