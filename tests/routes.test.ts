// Every existing route, found in the OpenAPI document that is generated from them: who may call it, and who may not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from './support/server.ts';

const publicRoutes = [
  'GET /api/v1/openapi.json',
  'GET /healthz',
  'GET /metrics',
  'GET /readyz',
  'POST /api/v1/auth/login',
];
/** Weakening a role must be noticed here, so that it is decided, not only documented. */
const adminRoutes = [
  'DELETE /api/v1/auth/users/{userId}',
  'DELETE /api/v1/operator-market/publisher-keys/{keyId}',
  'DELETE /api/v1/settings/models/{id}',
  'GET /api/v1/auth/users',
  'GET /api/v1/settings/cluster',
  'GET /api/v1/settings/nodes',
  'POST /api/v1/auth/users',
  'POST /api/v1/operator-market/operators/{id}/approve',
  'POST /api/v1/operator-market/operators/{id}/disable',
  'POST /api/v1/operator-market/operators/{id}/enable',
  'POST /api/v1/operator-market/publisher-keys',
  'POST /api/v1/settings/models',
  'POST /api/v1/settings/models/{id}/test',
  'PUT /api/v1/auth/users/{userId}',
  'PUT /api/v1/settings/models/{id}',
];
/** What a VIEWER may do besides reading: nothing of it changes what others see. */
const viewerActions = [
  'DELETE /api/v1/auth/api-keys/{keyId}',
  'DELETE /api/v1/data-management/datasets/{datasetId}/query/{queryId}',
  'POST /api/v1/auth/api-keys',
  'POST /api/v1/auth/logout',
  'POST /api/v1/data-cleaning/inputs',
  'POST /api/v1/data-cleaning/preview',
  'POST /api/v1/data-cleaning/profile',
  'POST /api/v1/data-cleaning/tasks/{id}/runs/{runId}/rethreshold',
  'POST /api/v1/data-management/datasets/{datasetId}/query',
  'POST /api/v1/data-management/datasets/{datasetId}/query/export',
  'POST /api/v1/rag/knowledge-bases/{knowledgeBaseId}/chunking/preview',
  'POST /api/v1/rag/knowledge-bases/{knowledgeBaseId}/search',
  'POST /api/v1/rag/search',
  'PUT /api/v1/auth/me/password',
];
const password = 'a long enough password';

type Route = { method: string; path: string; access: string };

test('every route refuses those who may not call it, before it looks at anything else', async (t) => {
  const service = await startApp(t);
  const { paths = {} } = service.app.swagger() as { paths?: Record<string, Record<string, { description?: string }>> };
  const routes: Route[] = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { description = '' }]) => ({
      method: method.toUpperCase(),
      path,
      access: /Needs the role (\w+)\./.exec(description)?.[1] ?? 'PUBLIC',
    })),
  );
  const listed = (isMeant: (route: Route) => boolean): string[] =>
    routes
      .filter(isMeant)
      .map(({ method, path }) => `${method} ${path}`)
      .sort((a, b) => (a < b ? -1 : 1));
  assert.deepEqual(
    listed(({ access }) => access === 'PUBLIC'),
    publicRoutes,
  );
  assert.deepEqual(
    listed(({ access }) => access === 'ADMIN'),
    adminRoutes,
  );
  assert.deepEqual(
    listed(({ access, method }) => access === 'VIEWER' && method !== 'GET'),
    viewerActions,
  );

  const signIn = async (username: string, role: string): Promise<string> => {
    await service.api('POST', '/auth/users', { username, password, role });
    return (await service.api<{ token: string }>('POST', '/auth/login', { username, password })).body.token;
  };
  const tokens: Readonly<Record<string, string>> = {
    VIEWER: await signIn('vera', 'VIEWER'),
    EDITOR: await signIn('erin', 'EDITOR'),
  };
  const strength = ['PUBLIC', 'VIEWER', 'EDITOR', 'ADMIN'];
  // Wrong ids and no body: a caller that passed the access checks would get 400, 404 or 415.
  const call = async ({ method, path }: Route, headers: Record<string, string>) => {
    const answer = await fetch(service.url + path.replaceAll(/\{\w+\}/g, '%zz'), { method, headers });
    await answer.arrayBuffer();
    return answer;
  };

  let checked = 0;
  for (const route of routes.filter(({ access }) => access !== 'PUBLIC')) {
    await t.test(`${route.method} ${route.path} (${route.access})`, async () => {
      const anonymous = await call(route, {});
      assert.equal(anonymous.status, 401);
      assert.ok(anonymous.headers.has('www-authenticate'));
      assert.equal((await call(route, { authorization: 'Bearer x', 'x-api-key': 'x' })).status, 401);
      for (const [role, token] of Object.entries(tokens)) {
        if (strength.indexOf(role) >= strength.indexOf(route.access)) continue;
        assert.equal((await call(route, { authorization: `Bearer ${token}` })).status, 403, role);
      }
    });
    checked++;
  }
  assert.ok(checked > 20);
});
