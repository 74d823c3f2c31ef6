// Runs in a process of its own: it measures how long calls hold the event loop.
// No body, whoever sends it, holds the event loop for long. The routes are those of the OpenAPI document, the bodies are made
// of their schemas and as large as each route allows, so a new route is tested by being there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLongRun } from '../support/long-tests.ts';
import { measureHold, measureParsing } from '../support/loop-hold.ts';
import { withoutReferences } from '../support/schema-references.ts';
import { startApp, type RunningApp } from '../support/server.ts';

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  pattern?: string;
  format?: string;
  minimum?: number;
  minItems?: number;
  maxItems?: number;
  additionalProperties?: Schema | boolean;
};
type Operation = {
  'x-body-limit'?: number;
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  parameters?: { in: string; name: string }[];
};
type Target = { method: string; path: string; limit: number; schema: Schema };

/** 50 ms, or ten times what a slow machine takes to parse 20,000 keys. */
const allowedMs = Math.max(50, 10 * measureParsing());
const attempts = 4;

const marker = '"@"';

/** Repeats text up to a size in bytes. */
function filled(size: number, unit: (index: number) => string, open = '', close = ''): string {
  const parts: string[] = [];
  let length = open.length + close.length;
  for (let index = 0; ; index++) {
    const part = unit(index);
    if (length + part.length + 1 > size) break;
    parts.push(part);
    length += part.length + 1;
  }
  return open + parts.join(',') + close;
}

/** Replacements for any value, each up to `size` bytes. */
const hostileValues: Readonly<Record<string, (size: number) => string>> = {
  'a long text': (size) => `"${'x'.repeat(size)}"`,
  'a long text of escapes': (size) => `"${String.raw`\u0041`.repeat(size / 6 - 1)}"`,
  'a long text of spaces and marks': (size) => `"${' \u0301'.repeat(size / 3 - 1)}"`,
  'a long text of slashes': (size) => `"${'a/'.repeat(size / 2 - 2)}"`,
  'a long number': (size) => '1'.repeat(size - 2),
  'a long fraction': (size) => `0.${'1'.repeat(size - 4)}`,
  'many numbers': (size) => filled(size, () => '1', '[', ']'),
  'huge numbers': (size) => filled(size, () => '1e400', '[', ']'),
  'many texts': (size) => filled(size, (index) => `"${index.toString(36)}"`, '[', ']'),
  'many ids': (size) => filled(size, (index) => `"${String(index).padStart(36, '0')}"`, '[', ']'),
  'many empty objects': (size) => filled(size, () => '{}', '[', ']'),
  'many empty lists': (size) => filled(size, () => '[]', '[', ']'),
  'many nulls': (size) => filled(size, () => 'null', '[', ']'),
  'many different objects': (size) => filled(size, (index) => `{"a${index}":1}`, '[', ']'),
  'many keys': (size) => filled(size, (index) => `"${index.toString(36)}x":1`, '{', '}'),
  'many numeric keys': (size) => filled(size, (index) => `"${(index * 7919) % 4_294_967_291}":1`, '{', '}'),
  'one key many times': (size) => filled(size, () => '"a":1', '{', '}'),
  'many escaped keys': (size) => filled(size, (index) => String.raw`"\u0000${index}":"\ud800"`, '{', '}'),
  'deep objects': (size) => '{"a":'.repeat(size / 6 - 1) + '1' + '}'.repeat(size / 6 - 1),
  'deep lists': (size) => '['.repeat(size / 2 - 1) + ']'.repeat(size / 2 - 1),
  'many branches of the depth that is allowed': (size) =>
    filled(size, () => '{"a":'.repeat(20) + '1' + '}'.repeat(20), '[', ']'),
};

/** Many fields get the same texts. */
const made = new Map<string, string>();

function hostileValue(what: string, size: number): string {
  const key = `${what} ${size}`;
  const text = made.get(key) ?? hostileValues[what]?.(size) ?? '';
  made.set(key, text);
  return text;
}

/** A value that a schema accepts. */
function sample(schema: Schema, ids: Readonly<Record<string, unknown>>, name = ''): unknown {
  if (Object.hasOwn(ids, name)) return ids[name];
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return sample(schema.anyOf[0], ids, name);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, property]) => [key, sample(property, ids, key)]),
      );
    case 'array':
      return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () => sample(schema.items ?? {}, ids, name));
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return schema.format === 'date-time' ? '2999-01-01T00:00:00Z' : 'x';
  }
}

/** The paths to all values of a sample, the whole first. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))
      : [];
  return [path, ...below];
}

/** A sample as JSON text in which one value is replaced by a raw text. */
function withText(value: unknown, path: readonly string[], text: string): string {
  const copy = structuredClone(value) as Record<string, unknown>;
  let parent: Record<string, unknown> = { '': copy };
  let key = '';
  for (const next of path) {
    parent = parent[key] as Record<string, unknown>;
    key = next;
  }
  if (path.length === 0) return text;
  parent[key] = '@';
  return JSON.stringify(copy).replace(marker, () => text);
}

/**
 * The values to try at one place of a body. How long a value blocks the loop depends on its parsing, which is the same everywhere, and on
 * what is done with this place: as a whole body, each route gets a fifth of the values; each place within a body gets one or two, starting
 * at a different one.
 */
function valuesFor(place: number, route: number): string[] {
  const names = Object.keys(hostileValues);
  return isLongRun ? names : names.filter((_, index) => (index + place + route) % (place === 0 ? 5 : 17) === 0);
}

/** Every hostile body of a route, with a description. */
function* hostileBodies(
  { schema, limit }: Target,
  route: number,
  ids: Readonly<Record<string, unknown>>,
): Generator<[string, string]> {
  const right = sample(schema, ids) as Record<string, unknown>;
  const room = limit - JSON.stringify(right).length - 16;
  for (const [index, path] of pathsOf(right).entries())
    for (const what of valuesFor(index, route))
      yield [`${path.join('.')}: ${what}`, withText(right, path, hostileValue(what, room))];
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.type !== 'array' || property.items === undefined) continue;
    const item = JSON.stringify(sample(property.items, ids, key));
    const most = Math.min(property.maxItems ?? room, Math.floor(room / (item.length + 1)));
    const items = (count: number, one: string): string => Array.from({ length: count }, () => one).join(',');
    yield [`${key}: as many right items as there may be`, withText(right, [key], `[${items(most, item)}]`)];
    yield [`${key}: the last of them wrong`, withText(right, [key], `[${items(most - 1, item)},"!"]`)];
    const each = Math.floor(room / most) - item.length - 2;
    if (!item.startsWith('{') || each < 100) continue;
    const padding = filled(each, (index) => `"${index.toString(36)}y":1`);
    const padded = `${item.slice(0, -1)},${padding}}`;
    yield [`${key}: each with unknown keys`, withText(right, [key], `[${items(most, padded)}]`)];
  }
  const known = JSON.stringify(right).slice(1, -1);
  yield [
    'right, and as many unknown keys as fit',
    filled(limit - 2, (index) => (index === 0 ? known : `"k${index}":1`), '{', '}'),
  ];
}

async function targetsOf(service: RunningApp): Promise<Target[]> {
  const document = service.app.swagger() as { paths?: Record<string, Record<string, Operation>> };
  const { paths = {} } = document;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const schema = operation.requestBody?.content?.['application/json']?.schema;
      const limit = operation['x-body-limit'] ?? 1024 * 1024;
      if (schema === undefined) return [];
      return [{ method: method.toUpperCase(), path, limit, schema: withoutReferences(document, schema) }];
    }),
  );
}

/** A long block is measured again: garbage of other tests may have been collected meanwhile. */
async function holdsTooLong(call: () => Promise<unknown>): Promise<number | undefined> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt++) {
    shortest = Math.min(shortest, await measureHold(call));
    if (shortest <= allowedMs) return undefined;
  }
  return shortest;
}

test('no JSON body holds the event loop', async (t) => {
  const service = await startApp(t);
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'd',
    type: 'TEXT',
  });
  const ids = {
    datasetId: dataset.id,
    sourceDatasetId: dataset.id,
    operatorId: 'whitespace-normalizer',
    version: '1.0.0',
    type: 'TEXT',
  };
  const targets = await targetsOf(service);
  assert.ok(targets.length >= 15, `only ${targets.length} routes take JSON`);

  for (const [route, target] of targets.entries()) {
    await t.test(`${target.method} ${target.path}, up to ${target.limit} bytes`, async () => {
      made.clear();
      const url = target.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === 'datasetId' ? dataset.id : 'none',
      );
      for (const [what, payload] of hostileBodies(target, route, ids)) {
        assert.ok(Buffer.byteLength(payload) <= target.limit, what);
        const statuses = new Set<number>();
        const held = await holdsTooLong(async () => {
          const answer = await service.app.inject({
            method: target.method as 'POST',
            url,
            headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
            payload,
          });
          statuses.add(answer.statusCode);
        });
        assert.equal(held, undefined, `${what}: the loop was held for ${held} ms (${[...statuses].join()})`);
        for (const status of statuses) assert.ok(status < 500, `${what} → ${status}`);
      }
    });
  }
});
