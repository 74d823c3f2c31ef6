import { Type, type Static, type TObject, type TProperties } from 'typebox';
import { IdSchema, named, namedObject, pageQuery, sortQuery, TimestampSchema } from '../http/schemas.ts';

const before = { id: IdSchema, name: Type.String(), description: Type.String() };
const after = {
  builtIn: Type.Boolean({ description: 'Built in: cannot be changed or deleted' }),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  updatedAt: TimestampSchema,
  updatedBy: Type.String(),
};
/** Fields of all templates; an area adds its definition with `templateSchema`. */
export type TemplateFields = Static<TObject<typeof before & typeof after>>;

/** Schema of a template: the common fields and those of the area. */
export function templateSchema<P extends TProperties>(name: string, own: P) {
  return namedObject(name, { ...before, ...own, ...after });
}

const newTemplateFields = {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Unique, not case-sensitive' }),
  description: Type.Optional(Type.String({ maxLength: 500 })),
};
export type NewTemplateFields = Static<TObject<typeof newTemplateFields>>;

/** Schema of the body that creates a template. */
export function newTemplateSchema<P extends TProperties>(name: string, own: P) {
  return namedObject(name, { ...newTemplateFields, ...own });
}

/** Schema of the body that changes a template; omitted fields keep their values. */
export function templateChangesSchema<P extends TProperties>(name: string, own: P) {
  return named(name, Type.Partial(Type.Object({ ...newTemplateFields, ...own })));
}

export const templateSortFields = ['name', 'createdAt', 'updatedAt'] as const;

/** The query of a list of templates; `sortName` names the schema of `sort`, `own` adds or replaces filters. */
export function templatesQuery<P extends TProperties>(sortName: string, own: P) {
  return Type.Object({
    ...pageQuery,
    keyword: Type.Optional(Type.String({ description: 'Part of the name or description' })),
    ...own,
    builtIn: Type.Optional(Type.Boolean({ description: 'true: only built-in templates; false: only the others' })),
    sort: sortQuery(sortName, templateSortFields),
  });
}
export type TemplatesQuery = {
  page: number;
  size: number;
  keyword?: string;
  type?: string;
  builtIn?: boolean;
  sort?: string;
};
