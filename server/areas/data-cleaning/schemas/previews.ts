import { type Static, Type } from 'typebox';
import { codeFields, DocumentReceiptSchema, ModelsAskedSchema, namedObject, nullable } from '../../../http/schemas.ts';
import { stepsOrTemplate, StepsSchema, VerdictSchema } from './tasks.ts';
import { newSourceFields } from './sources.ts';
import { NewInputSchema } from './inputs.ts';

export const rowField = nullable(
  Type.Integer({ description: 'Data row of a table from 1, not counting the header; null for a document' }),
);

export const lineField = nullable(
  Type.Integer({ description: 'Line of the file, from 1, where the row begins; null in formats without lines' }),
);

/** A seed of random samples: any integer that JSON holds exactly. */
export const SeedSchema = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Same seed, same samples',
});

export const DrawnSamplesSchema = namedObject('DrawnSamples', {
  seed: Type.Integer(),
  from: Type.Integer({ description: 'Samples that were read for drawing' }),
  total: Type.Integer({ description: 'Samples of the input' }),
  isExact: Type.Boolean({
    description:
      'Whether all samples were read and were equally likely to be drawn. If not, `total` is an estimate, and neighbouring rows of ' +
      'large tables are more likely to be drawn together',
  }),
});

export const PreviewBody = namedObject('CleaningPreviewRequest', {
  ...newSourceFields,
  ...stepsOrTemplate,
  input: Type.Optional(NewInputSchema),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 10,
      description: 'Number of samples to show; at most 100 without `sample`',
    }),
  ),
  sample: Type.Optional(
    namedObject(
      'PreviewSampling',
      { seed: SeedSchema },
      {
        description:
          'Draws random samples from the whole input instead of showing the first ones; the same seed draws the same samples of the same version',
      },
    ),
  ),
});

export type PreviewRequest = Static<typeof PreviewBody>;

export const PreviewTextSchema = namedObject('PreviewText', {
  text: Type.String(),
  truncated: Type.Boolean({ description: 'Whether the text was cut' }),
  length: Type.Integer({ description: 'Length of the whole text in UTF-16 units' }),
  picture: Type.Optional(Type.Integer({ description: 'For a picture: its index in `pictures` of the sample, from 0' })),
});

const unreadable = 'null if it cannot be read as a picture';

/** A picture at one point of the chain. */
export const PreviewPictureSchema = namedObject('PreviewPicture', {
  type: Type.String({ description: 'Media type' }),
  width: nullable(Type.Integer({ description: `In pixels, as displayed; ${unreadable}` })),
  height: nullable(Type.Integer()),
  frames: nullable(Type.Integer({ description: '1 unless it is an animation' })),
  sizeBytes: nullable(
    Type.Integer({
      description: 'Size of the file; null between two steps, where a picture is in memory and not encoded',
    }),
  ),
  thumbnail: nullable(
    Type.String({
      description:
        'WebP as a data URL; null if its pixels cannot be read or the preview has reached its limit of pictures',
    }),
  ),
});

const matchFields = {
  start: Type.Integer({ description: 'Where it begins in the text, in UTF-16 units' }),
  end: Type.Integer({ description: 'Where it ends' }),
  text: Type.String({ description: 'Its first 300 UTF-16 units' }),
  dataset: Type.String({ description: 'Name and version of the other dataset' }),
  path: Type.String(),
  row: nullable(Type.Integer({ description: 'Data row of a table from 1' })),
  line: nullable(Type.Integer({ description: 'Line of the file from 1' })),
};

/** A part of a text that occurs in another dataset, and where; `step` is 0-based. */
export const LedgerMatchSchema = namedObject('LedgerMatch', { step: Type.Integer(), ...matchFields });

/** What one step did to a sample. */
export const StepTraceSchema = namedObject('StepTrace', {
  step: Type.Integer({ description: 'From 0' }),
  operatorId: Type.String(),
  verdict: VerdictSchema,
  before: PreviewTextSchema,
  after: Type.Array(PreviewTextSchema, {
    description: 'None if the sample was dropped or failed here, several if it was split',
  }),
  score: nullable(Type.Number({ description: 'The score on which the step decided' })),
  matches: Type.Array(namedObject('TextMatch', matchFields), {
    description:
      'The longest parts of the text before the step that also occur in the datasets that the step compares with',
  }),
  reason: nullable(Type.String({ description: 'Reason of the drop or failure' })),
  ...codeFields('reason'),
  field: nullable(Type.String({ description: 'Field of the affected text, if the row has several' })),
});

/** A sample's path through the steps. */
export const SampleTraceSchema = namedObject('SampleTrace', {
  filePath: Type.String(),
  row: rowField,
  line: lineField,
  verdict: VerdictSchema,
  operatorId: nullable(Type.String({ description: 'Operator that dropped it or failed' })),
  reason: nullable(Type.String()),
  ...codeFields('reason'),
  field: nullable(Type.String({ description: 'Field of the affected text, if the row has several' })),
  receipt: Type.Union([DocumentReceiptSchema, Type.Null()]),
  steps: Type.Array(StepTraceSchema, { description: 'In processing order' }),
  texts: Type.Array(PreviewTextSchema, { description: 'Texts that would be written' }),
  pictures: Type.Array(PreviewPictureSchema, { description: 'Referenced by steps and results' }),
});

/** A dataset that a step was compared with. */
export const ComparedDatasetSchema = namedObject('ComparedDataset', {
  step: Type.Integer({ description: 'From 0' }),
  datasetId: Type.String(),
  dataset: Type.String({ description: 'Its name' }),
  version: nullable(Type.Integer()),
  samples: Type.Integer({ description: 'Samples that were compared with' }),
  isWhole: Type.Boolean({ description: 'Whether these are all; a preview reads only the first ones, a run all' }),
});

export const PreviewSchema = namedObject('CleaningPreview', {
  sourceVersion: Type.Integer({ description: 'Source version that was read' }),
  samples: Type.Array(SampleTraceSchema),
  steps: Type.Array(
    namedObject('PreviewStepCounts', {
      operatorId: Type.String(),
      in: Type.Integer({ description: 'Texts that reached the step' }),
      changed: Type.Integer(),
      dropped: Type.Integer(),
      failed: Type.Integer(),
    }),
    {
      description:
        'Effect of each step on these samples. Unreadable samples reach no step; skipped files are not among them',
    },
  ),
  compared: Type.Array(ComparedDatasetSchema, {
    description: 'Other datasets that steps compared these samples with',
  }),
  asked: nullable(ModelsAskedSchema),
  drawn: nullable(DrawnSamplesSchema),
  uncheckedFiles: Type.Array(Type.String(), {
    description: 'Files too large to verify in a preview; a run verifies them first',
  }),
});

export type Preview = Static<typeof PreviewSchema>;

/** The steps of a preview over pictures that are sent along, as JSON in the field `request` of the form. */
export const PictureStepsSchema = namedObject('PictureSteps', { steps: StepsSchema });

export type PictureSteps = Static<typeof PictureStepsSchema>;

export const PictureFormSchema = namedObject('PictureForm', {
  request: Type.String({ description: 'JSON: `{"steps": […]}`; comes first' }),
  pictures: Type.Array(Type.Unsafe<string>({ type: 'string', format: 'binary' }), {
    maxItems: 6,
    description: 'At most 6 files of 20 MiB each',
  }),
});

export const PicturePreviewSchema = namedObject('PicturePreview', { samples: Type.Array(SampleTraceSchema) });

export type PicturePreview = Static<typeof PicturePreviewSchema>;
