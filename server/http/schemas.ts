import { Type, type Static, type TSchema } from 'typebox';
import { idPattern } from '../kernel/ids.ts';

/** An id as it stands in paths and bodies. */
export const IdSchema = Type.String({ pattern: idPattern, description: 'Opaque id' });

/** ISO 8601 UTC with milliseconds. */
export const TimestampSchema = Type.String({ format: 'date-time', examples: ['2026-01-31T08:00:00.000Z'] });

/** Answer without a body. */
export const NoContent = Type.Null({ description: 'No content' });

/** One of a few strings. */
export function oneOf<const V extends readonly string[]>(
  values: V,
  options: { description?: string; default?: V[number] } = {},
) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options });
}

/** A plain value or null; for an object use a union. */
export function nullable<T extends TSchema & { type: 'string' | 'integer' | 'number' | 'boolean' }>(schema: T) {
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] });
}

/** `page` and `size` of a list, to be spread into the querystring's properties. */
export const pageQuery = {
  page: Type.Integer({ minimum: 0, default: 0, description: 'Zero-based page' }),
  size: Type.Integer({ minimum: 1, maximum: 1000, default: 20, description: 'Items per page' }),
};

/** `sort=FIELD,asc|desc` over the named fields. */
export function sortQuery(fields: readonly string[]) {
  return Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: fields.flatMap((field) => [`${field},asc`, `${field},desc`]),
      description: 'Field and direction',
    }),
  );
}

/** The envelope of a list. */
export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({
    content: Type.Array(item),
    page: Type.Integer(),
    size: Type.Integer(),
    totalElements: Type.Integer(),
    totalPages: Type.Integer(),
    first: Type.Boolean(),
    last: Type.Boolean(),
  });
}
