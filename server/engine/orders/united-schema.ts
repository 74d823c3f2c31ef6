import { type RowSchema, mergeSchemas } from '../../tables/row-schema.ts';

/** The columns of several shards, in their order. */
export function unitedSchema(schemas: readonly RowSchema[]): RowSchema {
  return schemas.reduce<RowSchema>((united, schema) => mergeSchemas(united, schema), []);
}
