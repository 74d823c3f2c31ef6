import { packageProblems } from './sentences.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import { Type, type Static, type TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { findSchemaProblem } from '../kernel/schema-problem.ts';
import { budgetNames } from '../operators/index.ts';
import { mostQuestions } from './questions.ts';
import { semanticVersionPattern } from './semantic-version.ts';
import { recordOf } from '../kernel/record-schema.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';

/** Kinds of operators that judge one sample at a time; whole-set operators can not be published. */
const kinds = ['MAPPER', 'FILTER', 'SPLITTER', 'SELECTOR'] as const;
/** Parts of a sample that published code may receive: all that JSON can represent. */
const parts = ['text', 'fields', 'columns', 'messages', 'scores'] as const;

function oneOf<const V extends readonly string[]>(values: V) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values] });
}

function text(maxLength: number) {
  return Type.String({ minLength: 1, maxLength, pattern: '\\S' });
}

const name = '^[a-z0-9]+(-[a-z0-9]+)*$';
const anyParams = recordOf(Type.Unknown());

const ExampleSchema = Type.Object(
  {
    title: text(200),
    params: anyParams,
    input: Type.String({ maxLength: 20_000 }),
    output: Type.Union([
      Type.String({ maxLength: 20_000 }),
      Type.Array(Type.String({ maxLength: 20_000 }), { maxItems: 100 }),
      Type.Object({ drop: text(1000) }, { additionalProperties: false }),
    ]),
    replies: Type.Optional(Type.Array(Type.String({ maxLength: 20_000 }), { maxItems: mostQuestions })),
  },
  { additionalProperties: false },
);

const ThresholdSchema = Type.Object(
  { param: text(50), direction: oneOf(['min', 'max']) },
  { additionalProperties: false },
);

export const ManifestSchema = Type.Object(
  {
    id: Type.String({ pattern: name, maxLength: 64 }),
    version: Type.String({ pattern: semanticVersionPattern, maxLength: 64 }),
    title: text(100),
    summary: text(500),
    author: text(100),
    licence: text(100),
    modality: oneOf(['TEXT', 'ANY']),
    kind: oneOf(kinds),
    categories: Type.Array(Type.String({ pattern: name, maxLength: 50 }), { minItems: 1, maxItems: 10 }),
    params: anyParams,
    capabilities: Type.Optional(Type.Array(oneOf(['models']), { maxItems: 1 })),
    models: Type.Optional(Type.Array(text(100), { minItems: 1, maxItems: 10 })),
    entry: Type.String({ pattern: '\\.(js|mjs|wasm)$', maxLength: 200 }),
    thresholds: Type.Optional(Type.Array(ThresholdSchema, { minItems: 1, maxItems: 10 })),
    reads: Type.Optional(Type.Array(oneOf(parts), { maxItems: parts.length })),
    writes: Type.Optional(Type.Array(oneOf(parts), { maxItems: parts.length })),
    changes: Type.Optional(Type.String({ maxLength: 5000 })),
    examples: Type.Array(ExampleSchema, { minItems: 1, maxItems: 50 }),
  },
  { additionalProperties: false },
);
export type OperatorManifest = Static<typeof ManifestSchema>;

export type ManifestProblem = { readonly field: string; readonly problem: Reason };

/** The first problem of a manifest; undefined if there is none. */
export function findManifestProblem(value: unknown): ManifestProblem | undefined {
  const unsupported = findUnsupported(value);
  if (unsupported !== undefined) return unsupported;
  const wrong = findSchemaProblem(ManifestSchema, value);
  if (wrong !== undefined) {
    const unknown = unknownField(value);
    return unknown === undefined ? wrong : { field: unknown, problem: packageProblems.FIELD_NOT_KNOWN.reason({}) };
  }
  const manifest = value as OperatorManifest;
  const asksModels = manifest.capabilities?.includes('models') === true;
  if (asksModels !== (manifest.models !== undefined)) {
    return { field: 'models', problem: packageProblems.MODELS_AS_CAPABLE.reason({}) };
  }
  const { properties } = manifest.params;
  const taken = asksModels ? budgetNames.find((name) => Object.hasOwn(Object(properties), name)) : undefined;
  if (taken !== undefined)
    return { field: `params.properties.${taken}`, problem: packageProblems.NAME_OF_BUDGET.reason({}) };
  return findParamsProblem(manifest.params) ?? findThresholdProblem(manifest);
}

/** Values that only built-in operators may have. */
const unsupportedValues: Readonly<Record<string, Readonly<Record<string, Reason>>>> = {
  kind: {
    DEDUPLICATOR: packageProblems.KIND_SEES_ONE.reason({ kind: 'DEDUPLICATOR' }),
  },
  modality: Object.fromEntries(
    ['IMAGE', 'AUDIO', 'VIDEO'].map((modality) => [modality, packageProblems.MODALITY_NOT_GIVEN.reason({ modality })]),
  ),
};

function findUnsupported(value: unknown): ManifestProblem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [field, problems] of Object.entries(unsupportedValues)) {
    const given = (value as Record<string, unknown>)[field];
    const problem = typeof given === 'string' && Object.hasOwn(problems, given) ? problems[given] : undefined;
    if (problem !== undefined) return { field, problem };
  }
  const { reads } = value as { reads?: unknown };
  if (!Array.isArray(reads) || !reads.includes('media')) return undefined;
  return { field: 'reads', problem: packageProblems.MEDIA_NOT_GIVEN.reason({}) };
}

/** Thresholds must be parameters of a filter, as its score is compared with them. */
function findThresholdProblem({ kind, params, thresholds = [] }: OperatorManifest): ManifestProblem | undefined {
  if (thresholds.length > 0 && kind !== 'FILTER')
    return { field: 'thresholds', problem: packageProblems.FOR_FILTERS_ALONE.reason({}) };
  const { properties = {} } = params as { properties?: Readonly<Record<string, { type?: unknown }>> };
  for (const [at, { param }] of thresholds.entries()) {
    const type = Object.hasOwn(properties, param) ? properties[param]?.type : undefined;
    if (type === 'number' || type === 'integer') continue;
    return {
      field: `thresholds.${at}.param`,
      problem: parameterProblems.MUST_BE.reason({ what: 'a parameter that is a number' }),
    };
  }
  return undefined;
}

function unknownField(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.keys(value).find((field) => !Object.hasOwn(ManifestSchema.properties, field));
}

const scalar = { title: Type.Optional(text(100)), description: Type.Optional(text(500)) };
const texts = Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 100 });
const closed = { additionalProperties: false };
const StringParam = Type.Object(
  {
    ...scalar,
    type: Type.Literal('string'),
    enum: Type.Optional(texts),
    minLength: Type.Optional(Type.Integer({ minimum: 0 })),
    maxLength: Type.Optional(Type.Integer({ minimum: 0 })),
    default: Type.Optional(Type.String({ maxLength: 10_000 })),
  },
  closed,
);
const NumberParam = Type.Object(
  {
    ...scalar,
    type: oneOf(['number', 'integer']),
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    default: Type.Optional(Type.Number()),
  },
  closed,
);
const BooleanParam = Type.Object(
  { ...scalar, type: Type.Literal('boolean'), default: Type.Optional(Type.Boolean()) },
  closed,
);
const ArrayParam = Type.Object(
  {
    ...scalar,
    type: Type.Literal('array'),
    items: Type.Union([StringParam, NumberParam, BooleanParam]),
    minItems: Type.Optional(Type.Integer({ minimum: 0 })),
    maxItems: Type.Integer({ minimum: 1, maximum: 10_000 }),
    default: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 1000 })),
  },
  closed,
);
const paramSchemas: Readonly<Record<string, TSchema>> = {
  string: StringParam,
  number: NumberParam,
  integer: NumberParam,
  boolean: BooleanParam,
  array: ArrayParam,
};
const forbiddenNames = ['__proto__', 'constructor', 'prototype'];

/**
 * Parameters are a JSON Schema that forms and clients in every language can handle: an object of strings, numbers,
 * booleans and lists of them. No patterns: they would run outside of the sandbox.
 */
function findParamsProblem(params: Readonly<Record<string, unknown>>): ManifestProblem | undefined {
  const { type, properties, required = [], additionalProperties, ...others } = params;
  const [other] = Object.keys(others);
  if (other !== undefined) return { field: `params.${other}`, problem: packageProblems.FIELD_NOT_SUPPORTED.reason({}) };
  if (type !== 'object')
    return { field: 'params.type', problem: parameterProblems.MUST_BE.reason({ what: '"object"' }) };
  if (additionalProperties !== undefined && additionalProperties !== false) {
    return { field: 'params.additionalProperties', problem: parameterProblems.MUST_BE.reason({ what: 'false' }) };
  }
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) {
    return { field: 'params.properties', problem: parameterProblems.MUST_BE_OBJECT.reason({}) };
  }
  const entries = Object.entries(properties as Record<string, unknown>);
  if (entries.length > 50)
    return {
      field: 'params.properties',
      problem: parameterProblems.MUST_HAVE_AT_MOST.reason({ limit: 50, what: 'parameters' }),
    };
  for (const [param, schema] of entries) {
    const problem = findParamProblem(param, schema);
    if (problem !== undefined) return problem;
  }
  const isNamed = (field: unknown): boolean => typeof field === 'string' && Object.hasOwn(properties, field);
  if (!Array.isArray(required) || !required.every(isNamed)) {
    return { field: 'params.required', problem: parameterProblems.MUST_BE.reason({ what: 'a list of parameters' }) };
  }
  return undefined;
}

function findParamProblem(param: string, schema: unknown): ManifestProblem | undefined {
  const field = `params.properties.${param}`;
  if (!/^[A-Za-z][A-Za-z0-9_]{0,49}$/.test(param) || forbiddenNames.includes(param)) {
    return { field, problem: parameterProblems.MUST_BE.reason({ what: 'a name of letters, digits and _' }) };
  }
  if (Object.hasOwn(schema ?? {}, 'x-datasets')) {
    return {
      field: `${field}.x-datasets`,
      problem: packageProblems.DATASETS_NOT_GIVEN.reason({}),
    };
  }
  const { type, default: fallback } = (schema ?? {}) as { type?: unknown; default?: unknown };
  const known = typeof type === 'string' && Object.hasOwn(paramSchemas, type) ? paramSchemas[type] : undefined;
  if (known === undefined) {
    return {
      field: `${field}.type`,
      problem: parameterProblems.MUST_BE_ONE_OF.reason({ values: Object.keys(paramSchemas).join(', ') }),
    };
  }
  const wrong = findSchemaProblem(known, schema);
  if (wrong !== undefined) return { field: `${field}.${wrong.field}`, problem: wrong.problem };
  if (fallback !== undefined && !Check(schema as TSchema, fallback)) {
    return { field: `${field}.default`, problem: packageProblems.DEFAULT_UNFIT.reason({}) };
  }
  return undefined;
}
