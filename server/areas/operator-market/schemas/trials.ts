import { type Static, Type } from 'typebox';
import { codeFields, ModelsAskedSchema, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

const maxTrialSamples = 100;

export const trialBodyLimit = 1024 * 1024;

export const TrialBody = namedObject('OperatorTrialRequest', {
  version: Type.Optional(Type.String({ description: 'Default: the installed version' })),
  params: Type.Optional(recordOf(Type.Unknown(), { description: 'Default: the defaults of the operator' })),
  samples: Type.Array(
    namedObject('OperatorTrialSample', {
      text: Type.String({ description: 'For a column operator: a row as a JSON object' }),
    }),
    {
      minItems: 1,
      maxItems: maxTrialSamples,
    },
  ),
});

export type TrialRequest = Static<typeof TrialBody>;

export const TrialSchema = namedObject('OperatorTrial', {
  results: Type.Array(
    namedObject('OperatorTrialResult', {
      verdict: oneOf('TrialVerdict', ['KEPT', 'CHANGED', 'DROPPED', 'FAILED']),
      texts: Type.Array(Type.String(), {
        description: 'Resulting texts: none if the sample was dropped or failed, several if it was split',
      }),
      truncated: Type.Boolean({ description: 'Whether any of these texts was truncated' }),
      score: nullable(Type.Number({ description: 'The score on which the operator decided' })),
      reason: nullable(Type.String({ description: 'Reason of the drop or failure' })),
      ...codeFields('reason'),
    }),
    { description: 'One per sample, in the same order' },
  ),
  compared: Type.Array(
    namedObject('TrialDataset', {
      datasetId: Type.String(),
      dataset: Type.String({ description: 'Its name' }),
      version: nullable(Type.Integer()),
      samples: Type.Integer({ description: 'Samples that were compared with' }),
      isWhole: Type.Boolean({ description: 'Whether these are all; a trial reads only the first ones' }),
    }),
    { description: 'Other datasets that the samples were compared with' },
  ),
  asked: nullable(ModelsAskedSchema),
  tookMs: Type.Number({ description: 'Time from request to result in milliseconds' }),
});

export type Trial = Static<typeof TrialSchema>;
