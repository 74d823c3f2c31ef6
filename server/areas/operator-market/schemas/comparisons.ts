import { type Static, Type } from 'typebox';
import { codeFields, IdSchema, namedObject, nullable, oneOf } from '../../../http/schemas.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

export const comparisonLimits = { samples: 200, listed: 100 } as const;

export const ComparisonBody = namedObject('OperatorComparisonRequest', {
  from: Type.String({ maxLength: 64, description: 'The old version' }),
  to: Type.String({ maxLength: 64, description: 'The new version' }),
  params: Type.Optional(recordOf(Type.Unknown(), { description: 'Default: the defaults of each version' })),
  sourceDatasetId: IdSchema,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: comparisonLimits.samples,
      description: 'Number of random samples; default 50',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 4_294_967_295, description: 'The same seed draws the same samples' }),
  ),
});

export type ComparisonRequest = Static<typeof ComparisonBody>;

const ComparedSchema = namedObject('OperatorOutcome', {
  verdict: oneOf('ComparedVerdict', ['KEPT', 'CHANGED', 'DROPPED', 'FAILED', 'SKIPPED']),
  texts: Type.Array(Type.String(), { description: 'Long texts are truncated' }),
  reason: nullable(Type.String()),
  ...codeFields('reason'),
});

export const ComparisonSchema = namedObject('OperatorComparison', {
  compared: Type.Integer({ description: 'All samples drawn: same + verdictChanged + textChanged + unreadable' }),
  same: Type.Integer(),
  unreadable: Type.Integer({ description: 'Rows and files that could not be read and reached neither version' }),
  verdictChanged: Type.Integer(),
  textChanged: Type.Integer({ description: 'Samples with the same verdict but different texts' }),
  comparedInPart: Type.Integer({ description: 'Samples too long to compare beyond the beginning' }),
  samples: Type.Array(
    namedObject('ComparedSample', {
      filePath: Type.String(),
      row: nullable(Type.Integer()),
      from: ComparedSchema,
      to: ComparedSchema,
    }),
    { description: 'Samples that differ, at most 100' },
  ),
});

export type Comparison = Static<typeof ComparisonSchema>;
