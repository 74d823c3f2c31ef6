import { foreign, type Reason } from '../../kernel/sentences/index.ts';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { replyCheckOf } from '../../models/index.ts';
import { compilePattern } from './columns/patterns.ts';
import { findContradiction } from './schema-contradictions.ts';
import { synthesisProblems as problems } from './sentences.ts';

export type OutputSchema = Readonly<Record<string, unknown>>;

/** The schema of records without one: the reply as plain text. */
export const plainSchema: OutputSchema = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
};

/**
 * Keywords checked in time linear in the record: patterns use RE2, references point to the schema's own definitions.
 */
const keywords = new Set([
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'const',
  'anyOf',
  'additionalProperties',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'pattern',
  '$ref',
  '$defs',
  'title',
  'description',
]);
/** Names with a special meaning in JavaScript: fields with these names could get lost. */
export const reservedNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const longest = 20_000;
const deepest = 10;
/** Maximum number of schema nodes after all references are expanded. */
const mostNodes = 2000;

/** Checks a given schema, by default of records, which must be objects; throws INVALID_PARAMETER. */
export function parseOutputSchema(field: string, schema: OutputSchema, of: 'object' | 'any' = 'object'): OutputSchema {
  if (JSON.stringify(schema).length > longest)
    throw invalid(field, parameterProblems.IS_LONGER_THAN.reason({ limit: longest }));
  const problem = findProblem(schema);
  if (problem !== undefined) throw invalid(field, problem);
  if (of === 'object' && (schema['type'] !== 'object' || typeof schema['properties'] !== 'object'))
    throw invalid(field, problems.SCHEMA_NO_OBJECT.reason({}));
  try {
    replyCheckOf(schema);
  } catch {
    throw invalid(field, problems.SCHEMA_NONE.reason({}));
  }
  return schema;
}

function findProblem(schema: OutputSchema): Reason | undefined {
  const definitions = schema['$defs'] ?? {};
  if (typeof definitions !== 'object' || Array.isArray(definitions)) return problems.SCHEMA_NONE.reason({});
  const known = definitions as Readonly<Record<string, unknown>>;
  let nodes = 0;
  const inspect: Inspect = (node, at, depth) => {
    nodes += 1;
    if (nodes > mostNodes) return problems.SCHEMA_TOO_LARGE.reason({ limit: mostNodes });
    const reference = (node as { $ref?: unknown } | null)?.$ref;
    if (reference === undefined) return problemOf(node, at, depth, inspect);
    if (typeof reference !== 'string') return problems.SCHEMA_NONE.reason({});
    const name = /^#\/\$defs\/([A-Za-z0-9_.-]+)$/.exec(reference)?.[1];
    if (name === undefined || !Object.hasOwn(known, name)) return problems.SCHEMA_REFERENCE.reason({ reference });
    // This also stops definitions that refer to themselves.
    return depth > deepest
      ? problems.SCHEMA_TOO_DEEP.reason({ limit: deepest })
      : inspect(known[name], `${at}${name}.`, depth + 1);
  };
  for (const [name, one] of Object.entries(known)) {
    const problem = inspect(one, `$defs.${name}.`, 1);
    if (problem !== undefined) return problem;
  }
  return inspect(schema, '', 0);
}

type Inspect = (node: unknown, at: string, depth: number) => Reason | undefined;

function problemOf(schema: unknown, at: string, depth: number, inspect: Inspect): Reason | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return problems.SCHEMA_NONE.reason({});
  if (depth > deepest) return problems.SCHEMA_TOO_DEEP.reason({ limit: deepest });
  const entries = schema as Record<string, unknown>;
  const unknown = Object.keys(entries).find((key) => !keywords.has(key));
  if (unknown !== undefined) return problems.SCHEMA_KEYWORD.reason({ keyword: `${at}${unknown}` });
  const { properties, items, anyOf, additionalProperties, pattern } = entries;
  if (depth > 0 && '$defs' in entries) return problems.SCHEMA_KEYWORD.reason({ keyword: `${at}$defs` });
  if (pattern !== undefined && typeof pattern !== 'string') return problems.SCHEMA_NONE.reason({});
  if (pattern !== undefined) {
    try {
      compilePattern(pattern);
    } catch (error) {
      return problems.SCHEMA_PATTERN.reason({ at: `${at}pattern`, why: foreign((error as Error).message) });
    }
  }
  const inner: [string, unknown][] = [];
  if (properties !== undefined) {
    if (typeof properties !== 'object' || properties === null) return problems.SCHEMA_NONE.reason({});
    for (const [name, property] of Object.entries(properties)) {
      if (reservedNames.has(name)) return problems.NAME_RESERVED.reason({ name });
      inner.push([`${at}${name}.`, property]);
    }
  }
  if (items !== undefined) inner.push([`${at}items.`, items]);
  if (additionalProperties !== undefined) inner.push([`${at}additionalProperties.`, additionalProperties]);
  if (anyOf !== undefined) {
    if (!Array.isArray(anyOf)) return problems.SCHEMA_NONE.reason({});
    for (const one of anyOf) inner.push([`${at}anyOf.`, one]);
  }
  for (const [path, one] of inner) {
    const problem = inspect(one, path, depth + 1);
    if (problem !== undefined) return problem;
  }
  try {
    return findContradiction(entries, at);
  } catch {
    return problems.SCHEMA_NONE.reason({});
  }
}
