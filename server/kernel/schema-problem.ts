import type { TSchema } from 'typebox';
import { Errors } from 'typebox/schema';
import { parameterProblems as problems } from './parameter-problems.ts';
import { foreign, type Reason } from './sentences/index.ts';

/** A wrong value: `min`, and the reason “must be at least 1”. */
export type SchemaProblem = { readonly field: string; readonly problem: Reason };

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
      return {
        field: [...path, ...error.params.requiredProperties.slice(0, 1)].join('.'),
        problem: problems.IS_REQUIRED.reason({}),
      };
    case 'type':
      return { field: path.join('.'), problem: typeProblem(String(error.params.type)) };
    case 'minimum':
      return {
        field: path.join('.'),
        problem: problems.MUST_BE_AT_LEAST.reason({ limit: Number(error.params.limit) }),
      };
    case 'maximum':
      return { field: path.join('.'), problem: problems.MUST_BE_AT_MOST.reason({ limit: Number(error.params.limit) }) };
    default:
      return { field: path.join('.'), problem: foreign(error.message) };
  }
}

/** Types that have a sentence of their own. */
const ofType: Readonly<Record<string, Reason>> = {
  integer: problems.MUST_BE_INTEGER.reason({}),
  number: problems.MUST_BE_NUMBER.reason({}),
  string: problems.MUST_BE_TEXT.reason({}),
  object: problems.MUST_BE_OBJECT.reason({}),
  array: problems.MUST_BE_ARRAY.reason({}),
};

function typeProblem(type: string): Reason {
  return ofType[type] ?? problems.MUST_BE.reason({ what: /^[aeio]/.test(type) ? `an ${type}` : `a ${type}` });
}
