import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { idPattern } from '../kernel/ids.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import { parameterProblems as problems } from '../kernel/parameter-problems.ts';

/** An error as TypeBox reports it (the form of Ajv). */
export type SchemaError = {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  params: object;
};

export type FieldProblem = { field: string; problem: Reason };

/**
 * Finds what is wrong with a value that a schema refuses: the field as the client writes it, and the problem in words.
 */
export type ProblemFinder = (value: unknown) => FieldProblem;

/**
 * Creates the finder for a schema. It descends to the first invalid part by checks alone and collects the errors of
 * only that part: TypeBox takes 10 µs per array item to list errors, valid or not.
 */
export function createProblemFinder(schema: TSchema): ProblemFinder {
  const part = schemaPart(schema);
  return (value) => part.find(value, '');
}

type SchemaPart = {
  isRight(value: unknown): boolean;
  find(value: unknown, instancePath: string): FieldProblem;
};

function schemaPart(schema: TSchema): SchemaPart {
  const {
    properties = {},
    required = [],
    items,
  } = schema as {
    properties?: Readonly<Record<string, TSchema>>;
    required?: readonly string[];
    items?: TSchema;
  };
  let compiled: ReturnType<typeof Compile> | undefined;
  const validator = (): ReturnType<typeof Compile> => (compiled ??= Compile(schema));
  const fields = Object.entries(properties).map(([name, property]) => ({ name, part: schemaPart(property) }));
  const item = items === undefined ? undefined : schemaPart(items);
  const whole = items === undefined ? schema : { ...schema, items: {} };

  return {
    isRight: (value) => validator().Check(value),
    find(value, instancePath) {
      if (Array.isArray(value)) {
        const index = item === undefined ? -1 : value.findIndex((each) => !item.isRight(each));
        if (item !== undefined && index !== -1) return item.find(value[index], `${instancePath}/${index}`);
      } else if (typeof value === 'object' && value !== null) {
        const given = value as Readonly<Record<string, unknown>>;
        const missing = required.find((name) => !Object.hasOwn(given, name));
        if (missing !== undefined)
          return { field: fieldName(childPath(instancePath, missing)), problem: problems.IS_REQUIRED.reason({}) };
        const wrong = fields.find(({ name, part }) => Object.hasOwn(given, name) && !part.isRight(given[name]));
        if (wrong !== undefined) return wrong.part.find(given[wrong.name], childPath(instancePath, wrong.name));
      }
      const [, found] = (whole === schema ? validator() : Compile(whole)).Errors(value);
      return fieldProblem(found.map((error) => ({ ...error, instancePath: instancePath + error.instancePath })));
    },
  };
}

function childPath(instancePath: string, name: string): string {
  return `${instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function fieldProblem(found: readonly SchemaError[]): FieldProblem {
  const first = found[0];
  if (first === undefined) return { field: 'body', problem: problems.IS_INVALID.reason({}) };
  const union = found.find(
    (error) =>
      error.keyword === 'anyOf' && first !== error && first.schemaPath.startsWith(`${error.schemaPath}/anyOf/`),
  );
  return union === undefined ? single(first) : ofUnion(union, found);
}

function single(error: SchemaError): FieldProblem {
  const params = error.params as Record<string, unknown>;
  if (error.keyword === 'required') {
    const [missing = ''] = params.requiredProperties as string[];
    return { field: fieldName(`${error.instancePath}/${missing}`), problem: problems.IS_REQUIRED.reason({}) };
  }
  return { field: fieldName(error.instancePath), problem: problemOf(error.keyword, params) };
}

/** A union failed: reports the problem inside the branch that matched furthest, else all valid alternatives. */
function ofUnion(union: SchemaError, found: readonly SchemaError[]): FieldProblem {
  const inside = found.filter((error) => error.schemaPath.startsWith(`${union.schemaPath}/anyOf/`));
  const deeper = inside.find(
    (error) => error.instancePath.length > union.instancePath.length || error.keyword === 'required',
  );
  if (deeper !== undefined) return single(deeper);
  const here = inside.filter((error) => error.keyword !== 'type' && error.keyword !== 'const');
  const [other] = here;
  if (other !== undefined) return single(other);
  const values = inside.filter((error) => error.keyword === 'const').map(({ params }) => allowedValue(params));
  const types = inside.filter((error) => error.keyword === 'type').map(({ params }) => typeName(params));
  const options = [...values, ...types];
  const field = fieldName(union.instancePath);
  if (values.length > 0) return { field, problem: problems.MUST_BE_ONE_OF.reason({ values: options.join(', ') }) };
  return { field, problem: mustBe(options.join(' or ')) };
}

function problemOf(keyword: string, params: Record<string, unknown>): Reason {
  const limit = Number(params.limit);
  switch (keyword) {
    case 'type':
      return mustBe(typeName(params));
    case 'minLength':
      return atLeast(limit, 'characters');
    case 'maxLength':
      return problems.MUST_HAVE_AT_MOST.reason({ limit, what: 'characters' });
    case 'minimum':
      return problems.MUST_BE_AT_LEAST.reason({ limit });
    case 'maximum':
      return problems.MUST_BE_AT_MOST.reason({ limit });
    case 'exclusiveMinimum':
      return problems.MUST_BE_MORE_THAN.reason({ limit });
    case 'exclusiveMaximum':
      return problems.MUST_BE_LESS_THAN.reason({ limit });
    case 'minItems':
      return atLeast(limit, 'items');
    case 'maxItems':
      return problems.MUST_HAVE_AT_MOST.reason({ limit, what: 'items' });
    case 'minProperties':
      return problems.MUST_HAVE_AT_LEAST.reason({ limit, what: 'fields' });
    case 'maxProperties':
      return problems.MUST_HAVE_AT_MOST.reason({ limit, what: 'fields' });
    case 'uniqueItems':
      return problems.MUST_NOT_HOLD_TWICE.reason({});
    case 'multipleOf':
      return problems.MUST_BE_MULTIPLE_OF.reason({ factor: Number(params.multipleOf) });
    case 'enum':
      return problems.MUST_BE_ONE_OF.reason({ values: (params.allowedValues as unknown[]).join(', ') });
    case 'const':
      return problems.MUST_BE.reason({ what: allowedValue(params) });
    case 'pattern':
      return isIdPattern(params.pattern)
        ? problems.MUST_BE_ID.reason({})
        : problems.MUST_MATCH.reason({ pattern: String(params.pattern) });
    case 'format':
      return problems.MUST_BE.reason({ what: `a ${String(params.format)}` });
    case 'additionalProperties':
      return problems.HOLDS_UNKNOWN_FIELD.reason({});
    default:
      return problems.IS_INVALID.reason({});
  }
}

function atLeast(limit: number, what: string): Reason {
  return limit === 1 ? problems.MUST_NOT_BE_EMPTY.reason({}) : problems.MUST_HAVE_AT_LEAST.reason({ limit, what });
}

/** Kinds of values that have a sentence of their own. */
const kinds: Readonly<Record<string, Reason>> = {
  'an integer': problems.MUST_BE_INTEGER.reason({}),
  'a number': problems.MUST_BE_NUMBER.reason({}),
  'a string': problems.MUST_BE_TEXT.reason({}),
  'true or false': problems.MUST_BE_BOOLEAN.reason({}),
  'an object': problems.MUST_BE_OBJECT.reason({}),
  'an array': problems.MUST_BE_ARRAY.reason({}),
};

function mustBe(what: string): Reason {
  return kinds[what] ?? problems.MUST_BE.reason({ what });
}

function isIdPattern(pattern: unknown): boolean {
  return (pattern instanceof RegExp ? pattern.source : pattern) === idPattern;
}

function allowedValue(params: object): string {
  return String((params as { allowedValue?: unknown }).allowedValue);
}

const typeNames: Readonly<Record<string, string>> = {
  integer: 'an integer',
  array: 'an array',
  object: 'an object',
  boolean: 'true or false',
  null: 'null',
};

function typeName(params: object): string {
  const { type } = params as { type?: unknown };
  const types = (Array.isArray(type) ? type : [type]) as string[];
  return types.map((name) => typeNames[name] ?? `a ${name}`).join(' or ');
}

/** `/steps/0/operatorId` → `steps[0].operatorId`; the whole is called `body`. */
function fieldName(instancePath: string): string {
  const segments = instancePath.split('/').slice(1);
  let name = '';
  for (const segment of segments) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    name += /^\d+$/.test(key) ? `[${key}]` : `${name === '' ? '' : '.'}${key}`;
  }
  return name === '' ? 'body' : name;
}
