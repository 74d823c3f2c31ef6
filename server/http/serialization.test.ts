import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { compileSerializersLater } from './serialization.ts';

test('a serializer is compiled for the first answer of its route, and sends declared fields only', async (t) => {
  const app = fastify().withTypeProvider<TypeBoxTypeProvider>();
  t.after(() => app.close());
  compileSerializersLater(app);
  let reads = 0;
  const observed = Object.defineProperty(Type.Object({ id: Type.String() }), 'properties', {
    enumerable: true,
    get: () => {
      reads += 1;
      return { id: Type.String() };
    },
  });
  const access = { config: { access: 'PUBLIC' } } as const;
  app.get('/first', { ...access, schema: { response: { 200: Type.Object({}) } } }, async () => ({}));
  await app.register(async (area) => {
    area.get('/later', { ...access, schema: { response: { 200: observed } } }, async () => ({ id: 'a', secret: 'b' }));
  });
  await app.ready();
  assert.equal(reads, 0);
  assert.deepEqual((await app.inject('/later')).json(), { id: 'a' });
  const forTheFirst = reads;
  assert.ok(forTheFirst > 0);
  assert.deepEqual((await app.inject('/later')).json(), { id: 'a' });
  assert.equal(reads, forTheFirst);
});
