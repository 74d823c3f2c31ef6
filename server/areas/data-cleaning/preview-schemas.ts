import { Type, type Static } from 'typebox';
import { IdSchema, namedObject, nullable } from '../../http/schemas.ts';
import { NewInputSchema, stepsOrTemplate, VerdictSchema } from './schemas.ts';

export const PreviewBody = namedObject('CleaningPreviewRequest', {
  sourceDatasetId: IdSchema,
  sourceVersion: Type.Optional(Type.Integer({ minimum: 1, description: 'Default: the current one' })),
  ...stepsOrTemplate,
  input: Type.Optional(NewInputSchema),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Samples that are shown' })),
});
export type PreviewRequest = Static<typeof PreviewBody>;

export const PreviewTextSchema = namedObject('PreviewText', {
  text: Type.String(),
  truncated: Type.Boolean({ description: 'Whether this is the beginning of a longer text' }),
  length: Type.Integer({ description: 'Of the whole text, in UTF-16 units' }),
});

/** What one step made of a sample. */
export const StepTraceSchema = namedObject('StepTrace', {
  step: Type.Integer({ description: 'From 0' }),
  operatorId: Type.String(),
  verdict: VerdictSchema,
  before: PreviewTextSchema,
  after: Type.Array(PreviewTextSchema, {
    description: 'None when the sample was dropped or failed here, several when it was split',
  }),
  score: nullable(Type.Number({ description: 'The figure that the step judged by' })),
  reason: nullable(Type.String({ description: 'Why it was dropped or failed' })),
});

/** A sample on its way through the steps. */
export const SampleTraceSchema = namedObject('SampleTrace', {
  filePath: Type.String(),
  row: nullable(Type.Integer({ description: 'Row of a table from 0; null for a document' })),
  verdict: VerdictSchema,
  operatorId: nullable(Type.String({ description: 'Operator that dropped it or failed' })),
  reason: nullable(Type.String()),
  steps: Type.Array(StepTraceSchema, { description: 'In the order in which the sample met them' }),
  texts: Type.Array(PreviewTextSchema, { description: 'What would be written' }),
});

export const PreviewSchema = namedObject('CleaningPreview', {
  sourceVersion: Type.Integer({ description: 'Version of the source that was read' }),
  samples: Type.Array(SampleTraceSchema),
  uncheckedFiles: Type.Array(Type.String(), {
    description:
      'Files of these samples that are too large to be held against their checksum for a preview; a run does that first',
  }),
});
export type Preview = Static<typeof PreviewSchema>;
