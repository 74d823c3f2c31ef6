import { invalid } from '../../kernel/errors.ts';
import { replyCheckOf } from '../../models/index.ts';
import { synthesisProblems as problems } from './sentences.ts';

export type OutputSchema = Readonly<Record<string, unknown>>;

/** A record without a schema: the reply as it is. */
export const plainSchema: OutputSchema = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
};

/** Keywords that are checked in time linear to the record, by one engine without references to elsewhere. */
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
  'title',
  'description',
]);
const longest = 20_000;
const deepest = 10;

/** Checks a given schema, by default of records, which are objects; throws INVALID_PARAMETER. */
export function parseOutputSchema(field: string, schema: OutputSchema, of: 'object' | 'any' = 'object'): OutputSchema {
  if (JSON.stringify(schema).length > longest) throw invalid(field, `is longer than ${longest} bytes`);
  const problem = problemOf(schema, '', 0);
  if (problem !== undefined) throw invalid(field, problem);
  if (of === 'object' && (schema['type'] !== 'object' || typeof schema['properties'] !== 'object'))
    throw invalid(field, problems.SCHEMA_NO_OBJECT({}));
  try {
    replyCheckOf(schema);
  } catch {
    throw invalid(field, problems.SCHEMA_NONE({}));
  }
  return schema;
}

function problemOf(schema: unknown, at: string, depth: number): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return problems.SCHEMA_NONE({});
  if (depth > deepest) return problems.SCHEMA_TOO_DEEP({ limit: deepest });
  const entries = schema as Record<string, unknown>;
  const unknown = Object.keys(entries).find((key) => !keywords.has(key));
  if (unknown !== undefined) return problems.SCHEMA_KEYWORD({ keyword: `${at}${unknown}` });
  const { properties, items, anyOf, additionalProperties } = entries;
  const inner: [string, unknown][] = [];
  if (properties !== undefined) {
    if (typeof properties !== 'object' || properties === null) return problems.SCHEMA_NONE({});
    for (const [name, property] of Object.entries(properties)) inner.push([`${at}${name}.`, property]);
  }
  if (items !== undefined) inner.push([`${at}items.`, items]);
  if (additionalProperties !== undefined) inner.push([`${at}additionalProperties.`, additionalProperties]);
  if (anyOf !== undefined) {
    if (!Array.isArray(anyOf)) return problems.SCHEMA_NONE({});
    for (const one of anyOf) inner.push([`${at}anyOf.`, one]);
  }
  for (const [path, one] of inner) {
    const problem = problemOf(one, path, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
