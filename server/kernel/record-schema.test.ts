import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { Type } from 'typebox';
import { Check } from 'typebox/schema';
import { recordOf } from './record-schema.ts';

const names = [
  'a',
  'a\nb',
  '\r',
  'a\u2028b',
  '\u2029',
  '',
  '__proto__',
  'constructor',
  'toString',
  '"',
  '\\',
  '\0',
  '\uD800',
  '.*',
];

test('members of any name are answered and checked', async () => {
  const app = Fastify();
  const response = { 200: Type.Object({ values: recordOf(Type.Unknown()) }) };
  const values = JSON.parse(`{${names.map((name, at) => `${JSON.stringify(name)}:${at}`).join(',')}}`) as object;
  app.get('/', { schema: { response } }, async () => ({ values }));
  assert.deepEqual(Object.entries((await app.inject('/')).json<{ values: object }>().values), Object.entries(values));
  await app.close();

  for (const name of names) {
    const member = (value: unknown): unknown => JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
    assert.ok(Check(recordOf(Type.String()), member('text')), JSON.stringify(name));
    assert.ok(!Check(recordOf(Type.String()), member(1)), JSON.stringify(name));
  }
});
