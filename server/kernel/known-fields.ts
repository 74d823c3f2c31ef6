import type { TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { invalid } from './errors.ts';
import { parameterProblems } from './parameter-problems.ts';
import { checkText } from './text-fields.ts';

/** The parts of a JSON Schema that this file uses. */
export type JsonSchema = {
  type?: string | readonly string[];
  properties?: Readonly<Record<string, JsonSchema>>;
  patternProperties?: unknown;
  additionalProperties?: unknown;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  allOf?: unknown;
  $ref?: unknown;
  default?: unknown;
  maxItems?: number;
  maxLength?: number;
  maxProperties?: number;
};

type Reader = (value: unknown, field: string) => unknown;

/**
 * Creates a function that copies the fields known to a schema out of a JSON value. It skips unknown fields unread
 * (or refuses them where a schema says `additionalProperties: false`), fills in defaults, and checks lengths before
 * contents. Its work is bounded by the schema, not by the input. It throws INVALID_PARAMETER for values that are too
 * long and text that cannot be stored; a value of another type is returned unchanged and refused later by schema
 * validation.
 */
export function createKnownFieldsReader(schema: TSchema): (value: unknown) => unknown {
  const read = readerOf(schema);
  return (value) => read(value, '');
}

function readerOf(schema: JsonSchema): Reader {
  if (schema.allOf !== undefined || schema.$ref !== undefined)
    throw new Error('The schema of what a client sends must be written out: allOf and $ref are not read');
  if (schema.anyOf !== undefined) return unionReader(schema.anyOf);
  const types = new Set([schema.type].flat());
  const object = types.has('object') ? objectReader(schema) : undefined;
  const array = types.has('array') ? arrayReader(schema) : undefined;
  const isOpen = schema.type === undefined;
  return (value, field) => {
    if (typeof value === 'string') return readText(value, field, schema.maxLength);
    if (typeof value !== 'object' || value === null) return value;
    if (isOpen) return readTree(value, field);
    if (Array.isArray(value)) return array === undefined ? value : array(value, field);
    return object === undefined ? value : object(value, field);
  };
}

function objectReader(schema: JsonSchema): Reader {
  const { maxProperties, properties, patternProperties, additionalProperties } = schema;
  const isOpen = patternProperties !== undefined || (additionalProperties ?? false) !== false;
  if (isOpen || properties === undefined) {
    return (value, field) => {
      if (maxProperties !== undefined && Object.keys(value as object).length > maxProperties)
        throw invalid(
          nameOf(field),
          parameterProblems.MUST_HAVE_AT_MOST.reason({ limit: maxProperties, what: 'fields' }),
        );
      return readTree(value, field);
    };
  }
  const isStrict = additionalProperties === false;
  const fields = Object.entries(properties).map(
    ([name, property]) => ({ name, read: readerOf(property), default: property.default }) as const,
  );
  return (value, field) => {
    const given = value as Readonly<Record<string, unknown>>;
    if (isStrict) refuseUnknown(given, properties, field);
    const known: Record<string, unknown> = {};
    for (const { name, read, default: fallback } of fields) {
      if (Object.hasOwn(given, name)) known[name] = read(given[name], field === '' ? name : `${field}.${name}`);
      else if (fallback !== undefined) known[name] = structuredClone(fallback);
    }
    return known;
  };
}

const shownNameCharacters = 100;

function refuseUnknown(given: object, properties: Readonly<Record<string, unknown>>, field: string): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(properties, name));
  if (unknown === undefined) return;
  const name = unknown.slice(0, shownNameCharacters).toWellFormed();
  throw invalid(
    field === '' ? name : `${field}.${name}`,
    parameterProblems.IS_NO_FIELD.reason({ fields: Object.keys(properties).join(', ') }),
  );
}

function arrayReader({ items, maxItems }: JsonSchema): Reader {
  const read = items === undefined ? readTree : readerOf(items);
  return (value, field) => {
    const given = value as readonly unknown[];
    if (maxItems !== undefined && given.length > maxItems)
      throw invalid(nameOf(field), parameterProblems.MUST_HAVE_AT_MOST.reason({ limit: maxItems, what: 'items' }));
    return given.map((item, index) => read(item, `${field}[${index}]`));
  };
}

/** Reads an object by the first branch that it matches, else by the first one of its type. */
function unionReader(branches: readonly JsonSchema[]): Reader {
  const readers = branches.map((schema) => ({ schema, read: readerOf(schema) }));
  const ofType = (type: string) => readers.filter(({ schema }) => [schema.type].flat().includes(type));
  const [objects, arrays] = [ofType('object'), ofType('array')];
  const longest = Math.max(...branches.map(({ maxLength = Number.POSITIVE_INFINITY }) => maxLength));
  return (value, field) => {
    if (typeof value === 'string') return readText(value, field, longest);
    if (typeof value !== 'object' || value === null) return value;
    const [first, ...others] = Array.isArray(value) ? arrays : objects;
    if (first === undefined) return value;
    if (others.length === 0) return first.read(value, field);
    const fitting = [first, ...others].find(({ schema, read }) => Check(schema as TSchema, read(value, field)));
    return (fitting ?? first).read(value, field);
  };
}

function readText(text: string, field: string, maxLength = Number.POSITIVE_INFINITY): string {
  // A code point has at most two UTF-16 units; schema validation then counts exactly, and only short enough texts.
  if (text.length > 2 * maxLength)
    throw invalid(nameOf(field), parameterProblems.MUST_HAVE_AT_MOST.reason({ limit: maxLength, what: 'characters' }));
  checkText(nameOf(field), text);
  return text;
}

/** A value of any type: copied whole. */
function readTree(value: unknown, field: string): unknown {
  if (typeof value === 'string') checkText(nameOf(field), value);
  else if (Array.isArray(value)) return value.map((item, index) => readTree(item, `${field}[${index}]`));
  else if (typeof value === 'object' && value !== null) {
    const copy: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      // It would set the prototype; dropping it silently would change the request.
      if (key === '__proto__')
        throw invalid(field === '' ? key : `${field}.${key}`, parameterProblems.IS_INVALID.reason({}));
      checkText(nameOf(field), key);
      copy[key] = readTree(item, field === '' ? key : `${field}.${key}`);
    }
    return copy;
  }
  return value;
}

function nameOf(field: string): string {
  return field === '' ? 'body' : field;
}
