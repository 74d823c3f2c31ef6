import { type Static, Type } from 'typebox';
import { codeFields, namedObject, nullable, oneOf, pageOf, pageQuery, TimestampSchema } from '../../../http/schemas.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

export const itemVerdicts = ['KEPT', 'DROPPED', 'FAILED'] as const;

export const ItemSchema = namedObject('CollectionItem', {
  name: Type.String({ description: 'URL, path, object key, or rows of a table' }),
  verdict: oneOf('CollectionVerdict', itemVerdicts),
  reason: nullable(Type.String({ description: 'Why it was dropped or failed' })),
  ...codeFields('reason'),
  path: nullable(Type.String({ description: 'Path in the dataset' })),
  inputs: Type.Integer({ description: 'Number of inputs that it counts as: the rows of a file of rows, otherwise 1' }),
  sizeBytes: nullable(Type.Integer()),
  fetchedAt: TimestampSchema,
  evidence: Type.Union([recordOf(Type.Unknown(), { description: 'Metadata from the source' }), Type.Null()], {
    description: 'Metadata from the source',
  }),
});

export type CollectionItem = Static<typeof ItemSchema>;

export const ItemPageSchema = pageOf(ItemSchema);

export const ItemsQuery = Type.Object({
  ...pageQuery,
  verdict: Type.Optional(oneOf('CollectionVerdict', itemVerdicts)),
  search: Type.Optional(
    Type.String({ maxLength: 500, description: 'Part of the name, path or reason; not case-sensitive' }),
  ),
});

export type ItemsQuery = Static<typeof ItemsQuery>;
