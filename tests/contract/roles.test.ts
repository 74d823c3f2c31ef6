import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from './service.ts';

type Role = 'PUBLIC' | 'VIEWER' | 'EDITOR' | 'ADMIN';

/**
 * Who may call what by the contract: a VIEWER may read and manage their own password and keys, users need an ADMIN, the rest an EDITOR.
 */
const access: [method: string, path: string, weakest: Role][] = [
  ['POST', '/auth/login', 'PUBLIC'],
  ['POST', '/auth/logout', 'VIEWER'],
  ['GET', '/auth/me', 'VIEWER'],
  ['PUT', '/auth/me/password', 'VIEWER'],
  ['GET', '/auth/users', 'ADMIN'],
  ['POST', '/auth/users', 'ADMIN'],
  ['PUT', '/auth/users/{id}', 'ADMIN'],
  ['DELETE', '/auth/users/{id}', 'ADMIN'],
  ['GET', '/auth/api-keys', 'VIEWER'],
  ['POST', '/auth/api-keys', 'VIEWER'],
  ['DELETE', '/auth/api-keys/{id}', 'VIEWER'],
  ['GET', '/data-management/datasets', 'VIEWER'],
  ['POST', '/data-management/datasets', 'EDITOR'],
  ['GET', '/data-management/datasets/{id}', 'VIEWER'],
  ['PUT', '/data-management/datasets/{id}', 'EDITOR'],
  ['DELETE', '/data-management/datasets/{id}', 'EDITOR'],
  ['GET', '/data-management/datasets/{id}/statistics', 'VIEWER'],
  ['GET', '/data-management/datasets/{id}/versions', 'VIEWER'],
  ['POST', '/data-management/datasets/{id}/versions', 'EDITOR'],
  ['GET', '/data-management/datasets/{id}/files', 'VIEWER'],
  ['GET', '/data-management/datasets/{id}/files/download', 'VIEWER'],
  ['GET', '/data-management/datasets/{id}/files/{id}', 'VIEWER'],
  ['PATCH', '/data-management/datasets/{id}/files/{id}', 'EDITOR'],
  ['DELETE', '/data-management/datasets/{id}/files/{id}', 'EDITOR'],
  ['GET', '/data-management/datasets/{id}/files/{id}/download', 'VIEWER'],
  ['POST', '/data-management/datasets/{id}/files/batch-delete', 'EDITOR'],
  ['POST', '/data-management/datasets/{id}/files/directories', 'EDITOR'],
  ['DELETE', '/data-management/datasets/{id}/files/directories', 'EDITOR'],
  ['POST', '/data-management/datasets/{id}/files/upload', 'EDITOR'],
  ['POST', '/data-management/datasets/{id}/files/upload/pre-upload', 'EDITOR'],
  ['POST', '/data-management/datasets/{id}/files/upload/chunk', 'EDITOR'],
  ['POST', '/data-management/datasets/{id}/files/upload/stream', 'EDITOR'],
  ['GET', '/data-management/datasets/{id}/files/upload/{id}', 'VIEWER'],
  ['DELETE', '/data-management/datasets/{id}/files/upload/{id}', 'EDITOR'],
  ['GET', '/data-management/dataset-types', 'VIEWER'],
  ['GET', '/data-management/tags', 'VIEWER'],
  ['POST', '/data-management/tags', 'EDITOR'],
  ['PUT', '/data-management/tags/{id}', 'EDITOR'],
  ['DELETE', '/data-management/tags/{id}', 'EDITOR'],
  ['GET', '/data-cleaning/tasks', 'VIEWER'],
  ['POST', '/data-cleaning/tasks', 'EDITOR'],
  ['GET', '/data-cleaning/tasks/{id}', 'VIEWER'],
  ['POST', '/data-cleaning/tasks/{id}/execute', 'EDITOR'],
  ['PUT', '/data-cleaning/tasks/{id}', 'EDITOR'],
  ['DELETE', '/data-cleaning/tasks/{id}', 'EDITOR'],
  ['POST', '/data-cleaning/tasks/{id}/stop', 'EDITOR'],
  ['GET', '/runs/{id}', 'VIEWER'],
  ['GET', '/data-cleaning/tasks/{id}/runs', 'VIEWER'],
  ['GET', '/data-cleaning/tasks/{id}/runs/{id}', 'VIEWER'],
  ['GET', '/data-cleaning/tasks/{id}/runs/{id}/logs', 'VIEWER'],
  ['GET', '/data-cleaning/tasks/{id}/runs/{id}/events', 'VIEWER'],
  ['GET', '/data-cleaning/tasks/{id}/runs/{id}/ledger', 'VIEWER'],
  ['GET', '/data-cleaning/tasks/{id}/runs/{id}/ledger/summary', 'VIEWER'],
  ['GET', '/data-cleaning/tasks/{id}/runs/{id}/ledger/{id}', 'VIEWER'],
  ['POST', '/data-cleaning/tasks/{id}/runs/{id}/rethreshold', 'VIEWER'],
  ['POST', '/data-cleaning/inputs', 'VIEWER'],
  ['POST', '/data-cleaning/preview', 'VIEWER'],
  ['POST', '/data-cleaning/preview/pictures', 'EDITOR'],
  ['GET', '/data-cleaning/templates', 'VIEWER'],
  ['POST', '/data-cleaning/templates', 'EDITOR'],
  ['GET', '/data-cleaning/templates/{id}', 'VIEWER'],
  ['PUT', '/data-cleaning/templates/{id}', 'EDITOR'],
  ['DELETE', '/data-cleaning/templates/{id}', 'EDITOR'],
  ['GET', '/operator-market/operators', 'VIEWER'],
  ['GET', '/operator-market/operators/{id}', 'VIEWER'],
];

const placeholder = /\{[^}]+\}/g;
const unknownId = '0198c0de-0000-7000-8000-000000000000';
const strength: Record<Role, number> = { PUBLIC: 0, VIEWER: 1, EDITOR: 2, ADMIN: 3 };

test('who may call what', async (t) => {
  const { editor, viewer, anonymous, openApi } = await startService(t);
  const wrongKey = anonymous.withKey('tilth_wrong');

  await t.test('every call of the contract exists in the OpenAPI document', () => {
    const documented = new Set(
      openApi.operations.map(({ method, path }) => `${method} ${path.replace(placeholder, '{}')}`),
    );
    const missing = access.filter(
      ([method, path]) => !documented.has(`${method} /api/v1${path.replace(placeholder, '{}')}`),
    );
    assert.deepEqual(missing, []);
  });

  await t.test('every documented call but login needs a credential', async () => {
    assert.ok(openApi.operations.length >= access.length);
    for (const { method, path } of openApi.operations) {
      const real = path.replace(placeholder, unknownId);
      if (/\/(login|openapi\.json|healthz|readyz|metrics)$/.test(path)) continue;
      (await anonymous.callRaw(method, real)).fails(401, 'UNAUTHENTICATED');
      (await wrongKey.callRaw(method, real)).fails(401, 'UNAUTHENTICATED');
    }
  });

  for (const [method, path, weakest] of access) {
    await t.test(`${method} ${path}: ${weakest}`, async () => {
      const real = path.replace(placeholder, unknownId);
      for (const [role, caller] of [
        ['VIEWER', viewer],
        ['EDITOR', editor],
      ] as const) {
        if (path === '/auth/logout') continue;
        const answer = await caller.call(method, real);
        if (strength[role] < strength[weakest]) answer.fails(403, 'FORBIDDEN');
        else assert.notEqual(answer.status, 403, `${role} ${method} ${path}`);
      }
    });
  }
});
