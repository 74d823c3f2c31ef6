// Ids, the order of checks, envelopes and errors are the same for all calls.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { exchange } from './http-exchange.ts';
import { sharedService, signIn } from './service.ts';
import { CleaningTask } from './cleaning-shapes.ts';
import { ApiKey, Dataset, Enveloped, Id, PageOf } from './shapes.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';
const unknownId = '0198c0de-0000-7000-8000-000000000000';

test('ids: a wrong one is 400, an unknown one 404', async (t) => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const [file] = await admin.putFiles(id, { 'a.txt': 'a' });
  assert.ok(file);
  const dataset = `${data}/datasets/${id}`;
  const upload = await admin.newUpload(id, { totalFileNum: 1, totalSize: 1 });

  const wrong = {
    '65 characters': 'a'.repeat(65),
    '5,000 characters': 'a'.repeat(5000),
    'a space': 'a%20b',
    'a dot': 'a.b',
    'an encoded slash': 'a%2Fb',
    'an encoded NUL': 'a%00',
    'a byte that is no UTF-8': '%ff',
    'overlong UTF-8': '%c0%ae%c0%ae',
    'a percent sign that encodes nothing': '%zz',
    'a percent sign at the end': 'a%',
    'letters of another script': encodeURIComponent('é'),
    'dots, encoded': '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    'a quote': "1'--",
  };
  const places: [method: string, path: (id: string) => string, notFound: string, json?: unknown][] = [
    ['GET', (id) => `${data}/datasets/${id}`, 'DATASET_NOT_FOUND'],
    ['PUT', (id) => `${data}/datasets/${id}`, 'DATASET_NOT_FOUND', { name: 'x' }],
    ['DELETE', (id) => `${data}/datasets/${id}`, 'DATASET_NOT_FOUND'],
    ['GET', (id) => `${data}/datasets/${id}/files`, 'DATASET_NOT_FOUND'],
    ['GET', (id) => `${data}/datasets/${id}/files/download`, 'DATASET_NOT_FOUND'],
    ['GET', (id) => `${data}/datasets/${id}/statistics`, 'DATASET_NOT_FOUND'],
    ['GET', (id) => `${data}/datasets/${id}/versions`, 'DATASET_NOT_FOUND'],
    ['POST', (id) => `${data}/datasets/${id}/files/directories`, 'DATASET_NOT_FOUND', { directoryName: 'x' }],
    [
      'POST',
      (id) => `${data}/datasets/${id}/files/upload/pre-upload`,
      'DATASET_NOT_FOUND',
      { totalFileNum: 1, totalSize: 1 },
    ],
    ['GET', (id) => `${data}/datasets/${id}/files/${file.id}/download`, 'DATASET_NOT_FOUND'],
    ['GET', (id) => `${data}/datasets/${id}/files/upload/${upload}`, 'DATASET_NOT_FOUND'],
    ['GET', (id) => `${dataset}/files/${id}`, 'FILE_NOT_FOUND'],
    ['DELETE', (id) => `${dataset}/files/${id}`, 'FILE_NOT_FOUND'],
    ['GET', (id) => `${dataset}/files/${id}/download`, 'FILE_NOT_FOUND'],
    ['GET', (id) => `${dataset}/files/upload/${id}`, 'UPLOAD_NOT_FOUND'],
    ['DELETE', (id) => `${dataset}/files/upload/${id}`, 'UPLOAD_NOT_FOUND'],
    ['PUT', (id) => `${data}/tags/${id}`, 'TAG_NOT_FOUND', { name: 'x' }],
    ['DELETE', (id) => `${data}/tags/${id}`, 'TAG_NOT_FOUND'],
    ['PUT', (id) => `/auth/users/${id}`, 'users', { role: 'VIEWER' }],
    ['DELETE', (id) => `/auth/users/${id}`, 'users'],
    ['DELETE', (id) => `/auth/api-keys/${id}`, 'keys'],
    ['GET', (id) => `/data-cleaning/tasks/${id}`, 'task'],
    ['POST', (id) => `/data-cleaning/tasks/${id}/execute`, 'task', {}],
    ['GET', (id) => `/data-cleaning/tasks/${id}/runs`, 'task'],
  ];
  for (const [method, path, notFound, json] of places) {
    await t.test(`${method} ${path('{id}')}`, async () => {
      for (const [why, id] of Object.entries(wrong)) {
        const answer = await admin.call(method, path(id), json === undefined ? {} : { json });
        assert.equal(answer.status, 400, `${why}: ${answer.bytes.toString()}`);
        answer.fails(400, 'INVALID_PARAMETER');
      }
      const answer = await admin.call(method, path(unknownId), json === undefined ? {} : { json });
      answer.fails(404, path('').startsWith(data) ? notFound : undefined);
      (await admin.call(method, path('_'.repeat(64)), json === undefined ? {} : { json })).fails(404);
    });
  }

  await t.test('another dataset’s file is not found', async () => {
    const other = await admin.newDataset();
    (await admin.get(`${data}/datasets/${other.id}/files/${file.id}`)).fails(404, 'FILE_NOT_FOUND');
    (await admin.download(other.id, file.id)).fails(404, 'FILE_NOT_FOUND');
    (await admin.delete(`${data}/datasets/${other.id}/files/${file.id}`)).fails(404, 'FILE_NOT_FOUND');
  });

  await t.test('the service assigns UUIDv7', () => {
    const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (const assigned of [id, file.id, upload]) assert.match(assigned, uuid7);
  });
});

test('order of checks', async (t) => {
  const { admin, editor, viewer, anonymous } = await shared.open();
  const bad = anonymous.withBearer('no.such.token');
  const archived = await admin.newDataset();
  (await admin.put(`${data}/datasets/${archived.id}`, { status: 'ARCHIVED' })).is(200, Dataset);
  const upload = { totalFileNum: 1, totalSize: 1 };
  const preUpload = (id: string) => `${data}/datasets/${id}/files/upload/pre-upload`;

  await t.test('credential before everything else', async () => {
    for (const client of [anonymous, bad]) {
      (await client.post(`${data}/datasets`, { name: 5 })).fails(401, 'UNAUTHENTICATED');
      (await client.get(`${data}/datasets/${unknownId}`)).fails(401, 'UNAUTHENTICATED');
      (await client.get(`${data}/datasets/a.b`)).fails(401, 'UNAUTHENTICATED');
      (await client.get('/auth/me')).fails(401);
      (await client.get('/data-cleaning/tasks')).fails(401);
    }
  });

  await t.test('role before syntax', async () => {
    (await viewer.post(`${data}/datasets`, { name: 5 })).fails(403, 'FORBIDDEN');
    (await viewer.put(`${data}/datasets/a.b`, {})).fails(403, 'FORBIDDEN');
    (await viewer.delete(`${data}/datasets/${unknownId}`)).fails(403, 'FORBIDDEN');
    (await editor.post('/auth/users', { username: 5 })).fails(403);
  });

  await t.test('syntax before existence, existence before state', async () => {
    (await editor.post(preUpload(unknownId), { totalFileNum: 0, totalSize: 1 })).fails(400, 'INVALID_PARAMETER');
    (await editor.put(`${data}/datasets/${unknownId}`, { status: 'NONE' })).fails(400, 'INVALID_PARAMETER');
    (await editor.post(preUpload(unknownId), upload)).fails(404, 'DATASET_NOT_FOUND');
    (await editor.post(preUpload(archived.id), { ...upload, prefix: '../up' })).fails(400, 'INVALID_PARAMETER');
    (await editor.post(preUpload(archived.id), upload)).fails(409, 'DATASET_ARCHIVED');
  });

  await t.test('unknown paths: 401 without a credential, 404 with one', async () => {
    for (const path of ['/nothing', '/nothing/at/all', '/data-cleaning/nothing', '/auth/nothing', '/rag']) {
      (await anonymous.get(path)).fails(401);
      (await bad.get(path)).fails(401);
      (await viewer.get(path)).fails(404);
    }
    for (const path of [data, `${data}/nothing`, `${data}/datasets/${unknownId}/nothing`]) {
      (await anonymous.get(path)).fails(401, 'UNAUTHENTICATED');
      (await viewer.get(path)).fails(404, 'NOT_FOUND');
      (await viewer.post(path, {})).fails(404, 'NOT_FOUND');
    }
  });

  await t.test('known path, other method: 405', async () => {
    const known: [method: string, path: string][] = [
      ['DELETE', `${data}/datasets`],
      ['PATCH', `${data}/datasets`],
      ['POST', `${data}/datasets/${unknownId}`],
      ['PATCH', `${data}/datasets/${unknownId}`],
      ['POST', `${data}/datasets/${unknownId}/files`],
      ['GET', `${data}/datasets/${unknownId}/files/upload/chunk`],
      ['PUT', `${data}/datasets/${unknownId}/files/upload/pre-upload`],
      ['POST', `${data}/datasets/${unknownId}/files/download`],
      ['POST', `${data}/datasets/${unknownId}/statistics`],
      ['GET', `${data}/datasets/${unknownId}/files/directories`],
      ['POST', `${data}/dataset-types`],
      ['DELETE', `${data}/tags`],
      ['GET', '/auth/login'],
      ['PUT', '/auth/logout'],
      ['POST', '/auth/me'],
      ['PUT', '/data-cleaning/tasks'],
    ];
    for (const [method, path] of known) {
      // `upload/chunk` and the like also match a sibling route as an id: then the id is unknown, not the method.
      const answer = await admin.call(method, path);
      if (method === 'GET' && /upload\/chunk$|files\/directories$/.test(path)) {
        assert.ok([404, 405].includes(answer.status), `${method} ${path} → ${answer.status}`);
      } else answer.fails(405, 'METHOD_NOT_ALLOWED');
    }
    (await anonymous.call('DELETE', `${data}/datasets`)).fails(401, 'UNAUTHENTICATED');
  });
});

test('envelopes and errors by area', async (t) => {
  const { admin, viewer, url } = await shared.openWithUsers();

  await t.test('other areas wrap their answers', async () => {
    const listed = (await admin.get('/data-cleaning/tasks')).is(200, Enveloped(PageOf(CleaningTask)));
    assert.deepEqual([listed.code, listed.message], [200, 'OK']);
    const dataset = await admin.newDataset();
    const steps = [{ operatorId: 'whitespace-normalizer' }];
    const created = await admin.post('/data-cleaning/tasks', { name: 'x', sourceDatasetId: dataset.id, steps });
    const { code, message } = created.is(201, Enveloped(CleaningTask));
    assert.deepEqual([code, message], [201, 'Created']);
  });

  await t.test('data management and auth don’t', async () => {
    assert.ok(!('code' in Object(await admin.newDataset())));
    (await admin.get('/auth/api-keys')).is(200, Type.Array(ApiKey));
    assert.ok(!('data' in Object((await viewer.get('/auth/me')).json())));
  });

  await t.test('an error’s path is the request’s path without its query', async () => {
    const answer = await admin.get(`${data}/datasets/${unknownId}?secret=1`);
    const { path, timestamp } = answer.is(404, Type.Object({ path: Type.String(), timestamp: Type.String() }));
    assert.equal(path, `/api/v1${data}/datasets/${unknownId}`);
    assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000);
  });

  await t.test('request ids differ from call to call and are on every answer', async () => {
    const seen = new Set<string>();
    for (const path of ['/auth/me', '/nothing', `${data}/datasets`, `${data}/datasets/a.b`, '/openapi.json']) {
      seen.add((await admin.get(path)).header('X-Request-Id'));
    }
    assert.equal(seen.size, 5);
  });

  await t.test('other API versions are unknown', async () => {
    const answer = await exchange({ url, method: 'GET', path: '/api/v2/data-management/datasets' });
    assert.ok([401, 404].includes(answer.status), String(answer.status));
  });

  await t.test('health checks and the documentation need no credential', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/docs', '/api/v1/openapi.json']) {
      const { status, headers } = await exchange({ url, method: 'GET', path });
      assert.ok(status === 200 || (path === '/docs' && status >= 300 && status < 400), `${path} → ${status}`);
      assert.ok(headers['x-request-id'], path);
    }
  });

  await t.test('signing in is an action, not a creation', async () => {
    await signIn(admin.withoutCredential(), 'vera');
    (await admin.preUpload((await admin.newDataset()).id, { totalFileNum: 1, totalSize: 0 })).is(200, Id);
  });
});
