import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify from 'fastify';
import { Type } from 'typebox';
import { addOpenApi } from './openapi.ts';
import type { AreaApp } from './routes.ts';

async function openApp(): Promise<AreaApp> {
  const app = fastify().withTypeProvider<TypeBoxTypeProvider>();
  await addOpenApi(app, { version: '1.2.3' });
  return app;
}

const response = { 200: Type.Array(Type.String()) };

function addRoute(app: AreaApp, path: string, operationId?: string): void {
  const name = operationId === undefined ? {} : { operationId };
  app.get(path, { config: { access: 'PUBLIC' }, schema: { ...name, summary: 'A list', response } }, async () => []);
}

test('a route needs an operationId, in camelCase and its own', async () => {
  const app = await openApp();
  addRoute(app, '/fields', 'listFields');
  assert.throws(() => addRoute(app, '/crops'), /^Error: The route GET \/crops has no operationId$/);
  assert.throws(() => addRoute(app, '/crops', 'list-crops'), /list-crops of GET \/crops is not in camelCase/);
  assert.throws(
    () => addRoute(app, '/crops', 'listFields'),
    /^Error: GET \/crops and GET \/fields have the same operationId listFields$/,
  );
});

test('a hidden route needs none', async () => {
  const app = await openApp();
  app.get('/page', { config: { access: 'PUBLIC' }, schema: { hide: true } }, async () => 'page');
  await app.ready();
  assert.deepEqual(Object.keys(app.swagger().paths ?? {}), ['/api/v1/openapi.json']);
});
