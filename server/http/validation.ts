import type { FastifySchemaCompiler } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { invalid, type AppError } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import { createKnownFieldsReader } from '../kernel/known-fields.ts';
import { checkText } from '../kernel/text-fields.ts';
import { createProblemFinder } from './validation-message.ts';

type JsonSchema = {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  default?: unknown;
};

type Outcome = { value: unknown } | { error: AppError };

/**
 * Creates the validators of a route from its TypeBox schemas. Body values must have the exact type; query and path
 * parameters are text and converted strictly. Unknown fields are dropped and defaults filled in; the error names the
 * first invalid field.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart, method }) => {
  const validate = httpPart === 'body' ? bodyValidator(schema, method) : textValidator(schema, httpPart);
  return (value: unknown): Outcome => {
    try {
      return { value: validate(value) };
    } catch (error) {
      return { error: error as AppError };
    }
  };
};

/**
 * First drops unknown fields and refuses what is too long, so that the check and the search for the first problem
 * process no more than the schema allows.
 */
export function bodyValidator<T extends TSchema>(
  schema: JsonSchema & T,
  method: string,
): (value: unknown) => Static<T> {
  const readKnownFields = createKnownFieldsReader(schema);
  const check = checker(schema);
  // An action may have no body; a change without any field is a mistake of the caller.
  const mayBeAbsent = method === 'POST' || (schema.required ?? []).length > 0;
  return (value) => {
    if ((value ?? undefined) === undefined && !mayBeAbsent)
      throw invalid('body', parameterProblems.IS_REQUIRED.reason({}));
    // An absent body counts as an empty one, so that the error names the first required field.
    const body = readKnownFields(value ?? {});
    check(body);
    return body as Static<T>;
  };
}

function textValidator(schema: JsonSchema & TSchema, httpPart: string | undefined): (value: unknown) => unknown {
  const check = checker(schema);
  const where = httpPart === 'params' ? 'path' : 'query';
  const fields = Object.entries(schema.properties ?? {});
  return (value) => {
    const given = (value ?? {}) as Record<string, string | string[] | undefined>;
    const converted: Record<string, unknown> = {};
    for (const [name, property] of fields) {
      const text = given[name];
      if (text !== undefined) converted[name] = convert(name, text, property);
      else if (property.default !== undefined) converted[name] = property.default;
      else if (schema.required?.includes(name) === true)
        throw invalid(name, parameterProblems.IS_REQUIRED_IN.reason({ where }));
    }
    check(converted);
    return converted;
  };
}

/** Compiled on the first call of the route: compiling all of them takes a twentieth of the start time. */
function checker(schema: TSchema): (value: unknown) => void {
  let compiled: ReturnType<typeof Compile> | undefined;
  let findProblem: ReturnType<typeof createProblemFinder> | undefined;
  return (value) => {
    if ((compiled ??= Compile(schema)).Check(value)) return;
    const { field, problem } = (findProblem ??= createProblemFinder(schema))(value);
    throw invalid(field, problem);
  };
}

function convert(name: string, text: string | string[], schema: JsonSchema): unknown {
  if (schema.type === 'array') {
    const items = schema.items ?? {};
    return (Array.isArray(text) ? text : [text]).map((item) => convert(name, item, items));
  }
  if (Array.isArray(text)) throw invalid(name, parameterProblems.MUST_BE_GIVEN_ONCE.reason({}));
  checkText(name, text);
  switch (schema.type) {
    case 'integer':
      return convertInteger(name, text);
    case 'number':
      if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text))
        throw invalid(name, parameterProblems.MUST_BE_NUMBER.reason({}));
      return Number(text);
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw invalid(name, parameterProblems.MUST_BE_BOOLEAN.reason({}));
      return text === 'true';
    default:
      return text;
  }
}

function convertInteger(name: string, text: string): number {
  const number = Number(text);
  if (!/^-?\d+$/.test(text)) throw invalid(name, parameterProblems.MUST_BE_INTEGER.reason({}));
  if (!Number.isSafeInteger(number)) throw invalid(name, parameterProblems.IS_OUT_OF_RANGE.reason({}));
  return number;
}
