import type { TSchema } from 'typebox';
import { Errors } from 'typebox/schema';

/** A wrong value in words: `min`, `must be at least 1`. */
export type SchemaProblem = { readonly field: string; readonly problem: string };

type SchemaError = ReturnType<typeof Errors>[1][number];

/** The first violation of a schema by a value; undefined if it is valid. */
export function findSchemaProblem(schema: TSchema, value: unknown): SchemaProblem | undefined {
  const [, [error]] = Errors(schema, value);
  return error === undefined ? undefined : problemOf(error);
}

function problemOf(error: SchemaError): SchemaProblem {
  const path = error.instancePath.split('/').slice(1);
  switch (error.keyword) {
    case 'required':
      return { field: [...path, ...error.params.requiredProperties.slice(0, 1)].join('.'), problem: 'is required' };
    case 'type':
      return { field: path.join('.'), problem: `must be ${typeName(error.params.type)}` };
    case 'minimum':
      return { field: path.join('.'), problem: `must be at least ${error.params.limit}` };
    case 'maximum':
      return { field: path.join('.'), problem: `must be at most ${error.params.limit}` };
    default:
      return { field: path.join('.'), problem: error.message };
  }
}

function typeName(type: string | readonly string[]): string {
  const name = String(type);
  return /^[aeio]/.test(name) ? `an ${name}` : `a ${name}`;
}
