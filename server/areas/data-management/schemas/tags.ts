import { Type, type Static } from 'typebox';
import { IdSchema, named, namedObject } from '../../../http/schemas.ts';

const ColorSchema = Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description: 'Colour as #RRGGBB' });

export const TagSchema = namedObject('Tag', {
  id: IdSchema,
  name: Type.String(),
  color: ColorSchema,
  description: Type.String(),
  usageCount: Type.Integer({ description: 'Datasets with this tag' }),
});
export type Tag = Static<typeof TagSchema>;

export const TagsSchema = Type.Array(TagSchema);

/** A tag as part of a dataset. */
export const DatasetTagSchema = namedObject('DatasetTag', { id: IdSchema, name: Type.String(), color: ColorSchema });
export type DatasetTag = Static<typeof DatasetTagSchema>;

export const NewTagBody = namedObject('NewTag', {
  name: Type.String({ minLength: 1, maxLength: 50, description: 'Without commas; unique, not case-sensitive' }),
  color: Type.Optional(ColorSchema),
  description: Type.Optional(Type.String({ maxLength: 200 })),
});
export type NewTag = Static<typeof NewTagBody>;

export const TagChangesBody = named('TagChanges', Type.Partial(NewTagBody));
export type TagChanges = Static<typeof TagChangesBody>;

export const TagParams = Type.Object({ tagId: IdSchema });
export const TagsQuery = Type.Object({
  keyword: Type.Optional(Type.String({ description: 'Part of the name; not case-sensitive' })),
});
