import { type Static, Type } from 'typebox';
import { namedObject, pageOf, TimestampSchema } from '../../../http/schemas.ts';

export const SourceStateSchema = namedObject('CollectionState', {
  name: Type.String({ description: 'URL, path, object key, or table' }),
  path: Type.String({ description: 'Path in the dataset when it was fetched' }),
  sizeBytes: Type.Integer(),
  fetchedAt: TimestampSchema,
  stamp: Type.Unknown({ description: "The source's validators of the content" }),
  position: Type.Unknown({ description: 'Where the next run continues in a table' }),
});

export type SourceState = Static<typeof SourceStateSchema>;

export const SourceStatePageSchema = pageOf(SourceStateSchema);
