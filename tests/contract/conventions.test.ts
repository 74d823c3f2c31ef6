import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { exchange } from './http-exchange.ts';
import { sharedService, signIn, startService } from './service.ts';
import {
  AnyJson,
  ApiKey,
  CleaningTask,
  Dataset,
  Enveloped,
  File,
  Id,
  ListedDataset,
  PageOf,
  Tag,
  Version,
} from './shapes.ts';

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

test('lists', async (t) => {
  const { admin, openApi } = await startService(t);
  const dataset = await admin.newDataset({ name: 'alpha' });
  await admin.newDataset({ name: 'beta', type: 'IMAGE' });
  await admin.newDataset({ name: 'gamma' });
  await admin.putFiles(dataset.id, { 'b/2.txt': '22', 'a.txt': 'a', 'b/1.txt': '1', 'c.md': 'ccc' });
  const source = {
    name: 'task',
    sourceDatasetId: dataset.id,
    steps: [{ operatorId: 'whitespace-normalizer', params: {} }],
  };
  const task = (await admin.post('/data-cleaning/tasks', source)).is(201, Enveloped(CleaningTask)).data;

  const lists: [path: string, total: number][] = [
    [`${data}/datasets`, 3],
    [`${data}/datasets/${dataset.id}/files`, 4],
    [`${data}/datasets/${dataset.id}/versions`, 2],
    ['/data-cleaning/tasks', 1],
    [`/data-cleaning/tasks/${task.id}/runs`, 0],
  ];
  for (const [path, total] of lists) {
    const isWrapped = !path.startsWith(data);
    const pageOf = async (query: string) => {
      const answer = await admin.get(`${path}?${query}`);
      return isWrapped ? answer.is(200, Enveloped(PageOf(AnyJson))).data : answer.is(200, PageOf(AnyJson));
    };

    await t.test(`GET ${path}: page and size`, async () => {
      for (const [query, field] of [
        ['page=-1', 'page'],
        ['page=x', 'page'],
        ['page=1.5', 'page'],
        ['page=1e2', 'page'],
        ['page=0x1', 'page'],
        ['page=', 'page'],
        ['page=%00', 'page'],
        ['page=NaN', 'page'],
        ['size=0', 'size'],
        ['size=-5', 'size'],
        ['size=1001', 'size'],
        ['size=99999999999999999999', 'size'],
        ['size=ten', 'size'],
        ['size=1.0', 'size'],
        ['size=', 'size'],
        ['size=1&size=2', 'size'],
      ]) {
        (await admin.get(`${path}?${query}`)).fails(400, 'INVALID_PARAMETER', String(field));
      }
      const whole = await pageOf('');
      assert.deepEqual([whole.page, whole.size, whole.totalElements], [0, 20, total]);
      assert.equal(whole.content.length, total);
      assert.deepEqual([whole.totalPages, whole.first, whole.last], [Math.ceil(total / 20), true, true]);
      assert.equal((await pageOf('size=1000')).size, 1000);
      const beyond = await pageOf('page=7&size=2');
      assert.deepEqual(
        { ...beyond },
        {
          content: [],
          page: 7,
          size: 2,
          totalElements: total,
          totalPages: Math.ceil(total / 2),
          first: false,
          last: true,
        },
      );
      const far = await pageOf('page=9007199254740991&size=1000').catch(() => undefined);
      if (far !== undefined) assert.deepEqual([far.content, far.last], [[], true]);
    });

    await t.test(`GET ${path}: pages of one make up the list`, async () => {
      const one: unknown[] = [];
      for (let page = 0; page < total; page += 1) {
        const { content, first, last, totalPages } = await pageOf(`page=${page}&size=1`);
        assert.deepEqual([first, last, totalPages], [page === 0, page === total - 1, total]);
        one.push(...content);
      }
      assert.deepEqual(one, (await pageOf('size=1000')).content);
    });

    // A list without a documented sort field ignores `sort` like any unknown parameter.
    const { parameters } = openApi.find('GET', `/api/v1${path}`) ?? assert.fail(`${path} isn't documented`);
    if (path.endsWith('/runs') && !parameters.some(({ name }) => name === 'sort')) continue;

    await t.test(`GET ${path}: an unknown sort is refused`, async () => {
      for (const sort of ['surprise,asc', 'id;drop,asc', 'name,sideways', ',asc', 'toString,asc', '__proto__,asc']) {
        (await admin.get(`${path}?sort=${encodeURIComponent(sort)}`)).fails(400, 'INVALID_PARAMETER', 'sort');
      }
    });
  }

  await t.test('default orders: datasets newest first, files by path', async () => {
    const datasets = (await admin.get(`${data}/datasets`)).is(200, PageOf(ListedDataset)).content;
    assert.deepEqual(
      datasets.map(({ name }) => name),
      ['gamma', 'beta', 'alpha'],
    );
    assert.deepEqual([...(await admin.files(dataset.id)).keys()], ['a.txt', 'b/1.txt', 'b/2.txt', 'c.md']);
  });

  await t.test('documented sorts work in both directions', async () => {
    const namesBy = async (sort: string) =>
      (await admin.get(`${data}/datasets?sort=${sort}`)).is(200, PageOf(ListedDataset)).content.map(({ name }) => name);
    assert.deepEqual(await namesBy('name,asc'), ['alpha', 'beta', 'gamma']);
    assert.deepEqual(await namesBy('name,desc'), ['gamma', 'beta', 'alpha']);
    assert.deepEqual(await namesBy('createdAt,asc'), ['alpha', 'beta', 'gamma']);
    const sizes = async (sort: string) =>
      (await admin.get(`${data}/datasets/${dataset.id}/files?sort=${sort}`))
        .is(200, PageOf(File))
        .content.map(({ fileSize }) => fileSize);
    assert.deepEqual(await sizes('fileSize,desc'), [3, 2, 1, 1]);
    assert.deepEqual(await sizes('fileSize,asc'), [1, 1, 2, 3]);
  });

  await t.test('unknown filters are refused', async () => {
    for (const query of ['status=GONE', 'status=active', 'type=PLANT', 'status=']) {
      (await admin.get(`${data}/datasets?${query}`)).fails(400, 'INVALID_PARAMETER', query.split('=')[0] ?? '');
    }
    (await admin.get(`${data}/datasets/${dataset.id}/files?status=GONE`)).fails(400, 'INVALID_PARAMETER', 'status');
  });

  await t.test('an empty list has no page and is first and last', async () => {
    const empty = await admin.newDataset();
    const page = (await admin.get(`${data}/datasets/${empty.id}/files`)).is(200, PageOf(File));
    assert.deepEqual(
      { ...page },
      {
        content: [],
        page: 0,
        size: 20,
        totalElements: 0,
        totalPages: 0,
        first: true,
        last: true,
      },
    );
    assert.ok((await admin.get(`${data}/datasets/${empty.id}/versions`)).is(200, PageOf(Version)).totalElements <= 1);
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
