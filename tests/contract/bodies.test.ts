// Bodies of calls: their fields, media types and sizes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedService } from './service.ts';
import { Dataset, ListedDataset, PageOf, Tag } from './shapes.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';
const unknownId = '0198c0de-0000-7000-8000-000000000000';

test('JSON bodies', async (t) => {
  const { admin } = await shared.open();
  const datasets = `${data}/datasets`;

  await t.test('unknown fields are dropped and never stored', async () => {
    const dataset = await admin.newDataset({
      name: 'Known',
      id: unknownId,
      status: 'ARCHIVED',
      version: 9,
      fileCount: 99,
      createdBy: 'mallory',
      createdAt: '2001-01-01T00:00:00.000Z',
      surprise: 'kept',
    });
    const stored = await admin.dataset(dataset.id);
    assert.notEqual(stored.id, unknownId);
    assert.deepEqual([stored.status, stored.version, stored.fileCount, stored.createdBy], ['ACTIVE', 1, 0, 'admin']);
    assert.ok(!('surprise' in stored));
    (await admin.put(`${datasets}/${dataset.id}`, { surprise: 1, version: 5 })).is(200, Dataset);
    assert.equal((await admin.dataset(dataset.id)).version, 1);
  });

  await t.test('strings are not coerced and null is no value', async () => {
    const { id } = await admin.newDataset();
    const wrong: [path: string, body: Record<string, unknown>, field: string][] = [
      [datasets, { name: 5, type: 'TEXT' }, 'name'],
      [datasets, { name: null, type: 'TEXT' }, 'name'],
      [datasets, { name: 'x', type: null }, 'type'],
      [datasets, { name: 'x', type: 'TEXT', description: null }, 'description'],
      [datasets, { name: 'x', type: 'TEXT', tags: 'soil' }, 'tags'],
      [datasets, { name: 'x', type: 'TEXT', tags: [5] }, 'tags'],
      [datasets, { name: 'x', type: 'TEXT', tags: [null] }, 'tags'],
      [`${datasets}/${id}/files/upload/pre-upload`, { totalFileNum: '1', totalSize: 1 }, 'totalFileNum'],
      [`${datasets}/${id}/files/upload/pre-upload`, { totalFileNum: 1, totalSize: '1' }, 'totalSize'],
      [`${datasets}/${id}/files/upload/pre-upload`, { totalFileNum: 1.5, totalSize: 1 }, 'totalFileNum'],
      [
        `${datasets}/${id}/files/upload/pre-upload`,
        { totalFileNum: 1, totalSize: 1, hasArchive: 'true' },
        'hasArchive',
      ],
      [`${datasets}/${id}/files/upload/pre-upload`, { totalFileNum: 1, totalSize: 1, prefix: null }, 'prefix'],
      [`${datasets}/${id}/files/directories`, { directoryName: null }, 'directoryName'],
      [`${data}/tags`, { name: true }, 'name'],
      ['/auth/login', { username: 'admin', password: 5 }, 'password'],
      ['/auth/login', { username: null, password: 'x' }, 'username'],
      ['/auth/api-keys', { name: 7 }, 'name'],
    ];
    for (const [path, body, field] of wrong) (await admin.post(path, body)).fails(400, 'INVALID_PARAMETER', field);
    (await admin.put(`${datasets}/${id}`, { name: null })).fails(400, 'INVALID_PARAMETER', 'name');
    (await admin.put(`${datasets}/${id}`, { status: 5 })).fails(400, 'INVALID_PARAMETER', 'status');
  });

  await t.test('names are trimmed and may not be blank', async () => {
    assert.equal((await admin.newDataset({ name: '  Field notes\t' })).name, 'Field notes');
    assert.equal((await admin.post(`${data}/tags`, { name: ' silt ' })).is(201, Tag).name, 'silt');
    for (const name of ['', ' ', '\t\n', '\u00a0\u3000']) {
      (await admin.post(datasets, { name, type: 'TEXT' })).fails(400, 'INVALID_PARAMETER', 'name');
      (await admin.post(`${data}/tags`, { name })).fails(400, 'INVALID_PARAMETER', 'name');
      (await admin.post('/auth/api-keys', { name })).fails(400, undefined, 'name');
    }
  });

  await t.test('lengths count code points', async () => {
    assert.equal((await admin.newDataset({ name: '🌱'.repeat(100) })).name, '🌱'.repeat(100));
    (await admin.post(datasets, { name: '🌱'.repeat(101), type: 'TEXT' })).fails(400, 'INVALID_PARAMETER', 'name');
    const description = '麦'.repeat(500);
    assert.equal((await admin.newDataset({ description })).description, description);
    const long = { name: 'x', type: 'TEXT', description: `${description}.` };
    (await admin.post(datasets, long)).fails(400, 'INVALID_PARAMETER', 'description');
    (await admin.post(`${data}/tags`, { name: '🌾'.repeat(50) })).is(201, Tag);
    (await admin.post(`${data}/tags`, { name: '🌾'.repeat(51) })).fails(400, 'INVALID_PARAMETER', 'name');
    (await admin.post(`${data}/tags`, { name: 'long', description: 'é'.repeat(200) })).is(201, Tag);
    const wordy = { name: 'longer', description: 'é'.repeat(201) };
    (await admin.post(`${data}/tags`, wordy)).fails(400, 'INVALID_PARAMETER', 'description');
  });

  await t.test('required fields are named when they are missing', async () => {
    const { id } = await admin.newDataset();
    const missing: [path: string, body: unknown, field: string][] = [
      [datasets, { type: 'TEXT' }, 'name'],
      [datasets, { name: 'x' }, 'type'],
      [`${datasets}/${id}/files/upload/pre-upload`, { totalSize: 1 }, 'totalFileNum'],
      [`${datasets}/${id}/files/upload/pre-upload`, { totalFileNum: 1 }, 'totalSize'],
      [`${datasets}/${id}/files/directories`, { parentPrefix: 'a' }, 'directoryName'],
      [`${data}/tags`, {}, 'name'],
      ['/auth/login', { username: 'x' }, 'password'],
      ['/auth/login', { password: 'x' }, 'username'],
      ['/auth/users', { username: 'x', role: 'VIEWER' }, 'password'],
      ['/auth/api-keys', {}, 'name'],
      ['/data-cleaning/tasks', {}, 'name'],
    ];
    for (const [path, body, field] of missing) (await admin.post(path, body)).fails(400, 'INVALID_PARAMETER', field);
  });

  await t.test('unknown query parameters are ignored', async () => {
    (await admin.get(`${datasets}?surprise=1&limit=x`)).is(200, PageOf(ListedDataset));
  });
});

test('media types and sizes of bodies', async (t) => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const body = Buffer.from('{"name":"x","type":"TEXT"}');
  const datasets = `${data}/datasets`;

  await t.test('JSON is asked for', async () => {
    for (const contentType of [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'image/png',
      'nonsense',
    ]) {
      (await admin.call('POST', datasets, { body, contentType })).fails(415, 'UNSUPPORTED_MEDIA_TYPE');
      (await admin.call('POST', '/auth/login', { body, contentType })).fails(415);
    }
    (await admin.call('POST', datasets, { body })).fails(415, 'UNSUPPORTED_MEDIA_TYPE');
    (await admin.call('POST', datasets, { body, contentType: 'application/json; charset=utf-8' })).is(201, Dataset);
  });

  await t.test('multipart is asked for', async () => {
    for (const path of [`${datasets}/${id}/files/upload/chunk`, `${datasets}/${id}/files/upload`]) {
      (await admin.call('POST', path, { body, contentType: 'application/json' })).fails(415, 'UNSUPPORTED_MEDIA_TYPE');
      (await admin.call('POST', path, { body, contentType: 'text/plain' })).fails(415, 'UNSUPPORTED_MEDIA_TYPE');
    }
  });

  await t.test('a missing body is 400, a too large one 413', async () => {
    const empty = { body: Buffer.alloc(0), contentType: 'application/json' };
    (await admin.call('POST', datasets, empty)).fails(400, 'INVALID_PARAMETER');
    const huge = Buffer.from(JSON.stringify({ name: 'x', type: 'TEXT', filler: 'y'.repeat(2 * 1024 * 1024) }));
    (await admin.call('POST', datasets, { body: huge, contentType: 'application/json' })).fails(
      413,
      'PAYLOAD_TOO_LARGE',
    );
    (await admin.call('POST', '/auth/login', { body: huge, contentType: 'application/json' })).fails(413);
  });

  await t.test('a delete needs no body and no media type', async () => {
    const doomed = await admin.newDataset();
    (await admin.call('DELETE', `${datasets}/${doomed.id}`, { contentType: 'application/json' })).isEmpty(204);
  });
});
