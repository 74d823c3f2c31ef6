import assert from 'node:assert/strict';
import fc from 'fast-check';
import { forAnyDatabase } from '../support/databases.ts';
import { toForm } from '../contract/form-data.ts';
import type { Operation } from '../contract/openapi-document.ts';
import { sized } from '../support/long-tests.ts';
import { startService, type Service } from '../contract/service.ts';
import { anyText } from '../support/any-text.ts';

type Json = Record<string, unknown>;

/** Fixed, so that failures are reproducible; change it now and then. */
const seed = 20_261_120;
const runsPerOperation = sized(4, 25);

const nasty = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  '../../etc/passwd',
  '/',
  '..',
  '__proto__',
  'constructor',
  "' OR 1=1 --",
  '%00',
  '%ff',
  '\ud800',
  '\u202e',
  '😀'.repeat(60),
  'x'.repeat(300),
  'x'.repeat(5000),
  '0198c0de-0000-7000-8000-000000000000',
  '-1',
  '1e309',
  'null',
  '<script>',
  '\r\nX: y',
);
const text = fc.oneof(nasty, anyText({ maxLength: 40 }), fc.string({ maxLength: 20 }));
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.constantFrom(0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 31),
  fc.boolean(),
  fc.constant(null),
);
const junk = fc.oneof(scalar, fc.jsonValue({ maxDepth: 4 }), fc.array(scalar, { maxLength: 5 }));

/** Mostly valid values, and now and then junk. */
const mostly = (asked: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: asked }, { weight: 1, arbitrary: junk });

function valueOf(schema: Json, depth = 0): fc.Arbitrary<unknown> {
  const options = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as Json[] | undefined;
  if (options !== undefined) return mostly(fc.oneof(...options.map((option) => valueOf(option, depth))));
  if (Array.isArray(schema['enum'])) return mostly(fc.constantFrom<unknown>(...schema['enum']));
  if ('const' in schema) return mostly(fc.constant(schema['const']));
  const [type] = [schema['type']].flat();
  if (type === 'object' && depth < 5) {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
    const fields = Object.fromEntries(properties.map(([name, property]) => [name, valueOf(property, depth + 1)]));
    const requiredKeys = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
    return mostly(
      fc.oneof(fc.record(fields, { requiredKeys }), fc.record(fields), fc.record(fields, { requiredKeys: [] })),
    );
  }
  if (type === 'array' && depth < 5) {
    return mostly(fc.array(valueOf((schema['items'] ?? {}) as Json, depth + 1), { maxLength: 4 }));
  }
  if (type === 'integer' || type === 'number') return mostly(fc.oneof(fc.nat(3), fc.integer({ min: -2, max: 2000 })));
  if (type === 'boolean') return mostly(fc.boolean());
  if (type === 'string')
    return mostly(fc.oneof(fc.string({ minLength: 1, maxLength: 10, unit: 'grapheme-ascii' }), text));
  return junk;
}

const skipped = /\/(login|logout|password|events|metrics|speeds)$|\/auth\/users|\/execute$/;

forAnyDatabase(
  'whatever is sent to whichever call, no answer is a failure of the service',
  async (t, _open, database) => {
    const service = await startService(t, {}, database);
    const { id } = await service.admin.newDataset({ name: 'Target' });
    const [file] = await service.admin.putFiles(id, { 'a/b.txt': 'content' });
    const reqId = await service.admin.newUpload(id, { totalFileNum: 5, totalSize: 100 });
    const known: Record<string, string> = { datasetId: id, fileId: file?.id ?? '', reqId };

    for (const operation of service.openApi.operations) {
      if (skipped.test(operation.path)) continue;
      await t.test(`${operation.method} ${operation.path}`, async () => {
        await fc.assert(
          fc.asyncProperty(requestOf(operation, known), (request) => isAnswered(service, operation, request)),
          { numRuns: runsPerOperation, seed, endOnFailure: true },
        );
      });
    }
  },
);

type FuzzRequest = { path: string; body?: Buffer; contentType?: string };

function requestOf(operation: Operation, known: Readonly<Record<string, string>>): fc.Arbitrary<FuzzRequest> {
  const ofPath = operation.parameters.filter((parameter) => parameter.in === 'path');
  const ofQuery = operation.parameters.filter((parameter) => parameter.in === 'query');
  const isDelete = operation.method === 'DELETE';
  const ids = fc.record(
    Object.fromEntries(
      ofPath.map(({ name }) => [
        name,
        // Objects that the other calls need must not be deleted by chance.
        fc.oneof(
          { weight: isDelete ? 0 : 5, arbitrary: fc.constant(known[name] ?? 'unknown') },
          { weight: 2, arbitrary: text.filter((value) => value !== '') },
        ),
      ]),
    ),
  );
  const query = fc.record(Object.fromEntries(ofQuery.map(({ name, schema }) => [name, valueOf(schema)])), {
    requiredKeys: [],
  });
  return fc.tuple(ids, query, bodyOf(operation)).map(([ids, query, body]) => {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encode(String(ids[name])));
    const search = Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${encode(typeof value === 'string' ? value : JSON.stringify(value))}`)
      .join('&');
    return { path: search === '' ? path : `${path}?${search}`, ...body };
  });
}

function bodyOf({ method, bodyTypes, bodySchema }: Operation): fc.Arbitrary<Omit<FuzzRequest, 'path'>> {
  if (method === 'GET' || method === 'DELETE') return fc.constant({});
  if (bodyTypes.includes('multipart/form-data')) {
    const names = [...Object.keys(bodySchema?.['properties'] ?? {}), 'file', 'files', 'surprise'];
    const part = fc.record(
      {
        name: fc.constantFrom(...names),
        value: fc.oneof(text, fc.nat(10).map(String)),
        fileName: text.map((name) => name.replaceAll(/[\r\n"]/g, '')),
      },
      { requiredKeys: ['name', 'value'] },
    );
    return fc.array(part, { maxLength: 10 }).map((parts) => toForm(parts, 'fuzz'));
  }
  if (bodyTypes.length > 0 && !bodyTypes.includes('application/json')) {
    return fc
      .uint8Array({ maxLength: 2000 })
      .map((bytes) => ({ body: Buffer.from(bytes), contentType: bodyTypes[0] ?? '' }));
  }
  if (bodySchema === undefined) return fc.constant({});
  return valueOf(bodySchema).map((value) => ({
    body: Buffer.from(JSON.stringify(value) ?? ''),
    contentType: 'application/json',
  }));
}

/**
 * `checkEveryAnswer` and the OpenAPI document validate the response; this only checks that the service did not fail.
 */
async function isAnswered({ admin }: Service, { method }: Operation, { path, ...request }: FuzzRequest): Promise<void> {
  const answer = await admin.callRaw(method, path, request);
  assert.ok(answer.status < 500, `${method} ${path} → ${answer.status} ${answer.bytes.toString('utf8', 0, 300)}`);
}

function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
