import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedService, type Service } from '../contract/service.ts';
import { isLongRun } from '../support/long-tests.ts';
import { AnyJson } from '../contract/shapes.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';
const json = 'application/json';

/** Every call of the OpenAPI document that takes a JSON body, with ids of existing objects where needed. */
async function jsonCalls({ admin, openApi }: Service): Promise<{ method: string; path: string }[]> {
  const { id } = await admin.newDataset();
  const [file] = await admin.putFiles(id, { 'a.txt': 'a' });
  const ids: Record<string, string> = { datasetId: id, fileId: file?.id ?? '' };
  return openApi.operations
    .filter(({ bodyTypes }) => bodyTypes.includes(json))
    .map(({ method, path }) => ({
      method,
      path: path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '0198c0de-0000-7000-8000-000000000000'),
    }));
}

test('JSON bodies that are refused by every call that takes one', async (t) => {
  const service = await shared.open();
  const { admin } = service;
  const calls = await jsonCalls(service);
  assert.ok(calls.length >= 10, `only ${calls.length} calls take JSON`);
  const deep = (open: string, close: string): string => open.repeat(2_000) + close.repeat(2_000);

  const refused: Record<string, Buffer | string> = {
    'half an object': '{"name":',
    'two values': '{}{}',
    'a trailing comma': '{"name":"x",}',
    'single quotes': "{'name':'x'}",
    'a comment': '{/* */}',
    'not a number': '{"name":NaN}',
    'an array': '[]',
    'an array of objects': '[{"name":"x"}]',
    'a string': '"name"',
    'a number': '5',
    'a boolean': 'true',
    null: 'null',
    blank: '   ',
    'invalid UTF-8': Buffer.from([...Buffer.from('{"name":"'), 0xff, 0xfe, ...Buffer.from('"}')]),
    'overlong UTF-8': Buffer.from([...Buffer.from('{"name":"'), 0xc0, 0xae, ...Buffer.from('"}')]),
    'UTF-16': Buffer.from('{"name":"x"}', 'utf16le'),
    'a raw NUL': '{"name":"a\u0000b"}',
    'a raw line break in a string': '{"name":"a\nb"}',
    'deep arrays': `{"name":${deep('[', ']')}}`,
    'deep objects in an unknown field': `{"x":${deep('{"x":', '}').replace(/\}$/, 'null}')}}`,
    'deep objects, not closed': '{"name":'.repeat(1_500),
    'nested 100 levels': `{"x":${'['.repeat(100)}${']'.repeat(100)}}`,
  };
  for (const [place, { method, path }] of calls.entries()) {
    await t.test(`${method} ${path}`, async () => {
      // All calls parse bodies alike, so each gets only a part of them, starting at a different one.
      const some = Object.entries(refused).filter(
        ([, body], index) => isLongRun || body === '[]' || (index + place) % 5 === 0,
      );
      for (const [why, body] of some) {
        const answer = await admin.callRaw(method, path, { body: Buffer.from(body), contentType: json });
        assert.equal(answer.status, 400, `${why}: ${answer.status} ${answer.bytes.toString('utf8', 0, 300)}`);
        answer.fails(400, 'INVALID_PARAMETER');
      }
      // A package may be sent as JSON that contains its source.
      const hugeBytes = path === '/api/v1/operator-market/operators' ? 8_500_000 : 1_100_000;
      const huge = Buffer.from(`{"x":"${'y'.repeat(hugeBytes)}"}`);
      (await admin.callRaw(method, path, { body: huge, contentType: json })).fails(413, 'PAYLOAD_TOO_LARGE');
      for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'text/json']) {
        const answer = await admin.callRaw(method, path, { body: Buffer.from('{}'), contentType });
        answer.fails(415, 'UNSUPPORTED_MEDIA_TYPE');
      }
    });
  }
});

test('keys that would reach the prototype', async () => {
  const { admin } = await shared.open();
  const bodies = [
    '{"__proto__":{"admin":true},"name":"polluted","type":"TEXT"}',
    '{"constructor":{"prototype":{"admin":true}},"name":"polluted","type":"TEXT"}',
    '{"name":"polluted","type":"TEXT","toString":5,"hasOwnProperty":1,"valueOf":null}',
    '{"__proto__":{"name":"inherited","type":"TEXT"}}',
    '{"name":"polluted","type":"TEXT","tags":["__proto__","constructor"]}',
  ];
  for (const body of bodies) {
    const answer = await admin.call('POST', `${data}/datasets`, { body: Buffer.from(body), contentType: json });
    assert.ok([201, 400].includes(answer.status), `${body} → ${answer.status}`);
    if (body.startsWith('{"__proto__":{"name"')) assert.equal(answer.status, 400, 'required fields were inherited');
  }
  assert.equal(({} as Record<string, unknown>)['admin'], undefined);
  (await admin.get(`${data}/datasets`)).is(200, AnyJson);
  (await admin.get(`${data}/datasets?__proto__=x&constructor=y&toString=z`)).is(200, AnyJson);
  (await admin.get(`${data}/tags?keyword=__proto__`)).is(200, AnyJson);
});

test('an unknown field is dropped, whatever it holds', async () => {
  const { admin } = await shared.open();
  const unknown = String.raw`"\u0000":1,"x":"\u0000","y":{"\ud800":["\udfff"]}`;
  const body = Buffer.from(`{"name":"kept","type":"TEXT",${unknown}}`);
  const answer = await admin.call('POST', `${data}/datasets`, { body, contentType: json });
  assert.equal(answer.status, 201);
});

test('a change needs a body, an action may do without', async () => {
  const { admin } = await shared.open();
  const [user] = (await admin.get('/auth/users')).json() as { id: string }[];
  const { id: datasetId } = await admin.newDataset();
  for (const path of [`/auth/users/${user?.id}`, `${data}/datasets/${datasetId}`])
    (await admin.call('PUT', path, {})).fails(400, undefined, 'body');
  const task = '/data-cleaning/tasks/0198c0de-0000-7000-8000-000000000000/execute';
  (await admin.call('POST', task, {})).fails(404);
});

test('strings that no database keeps', async () => {
  const { admin } = await shared.open();
  const post = (path: string, text: string) => admin.call('POST', path, { body: Buffer.from(text), contentType: json });
  for (const name of [String.raw`a\u0000b`, String.raw`\ud800`, String.raw`x\udfffy`]) {
    (await post(`${data}/datasets`, `{"name":"${name}","type":"TEXT"}`)).fails(400, 'INVALID_PARAMETER', 'name');
    const described = `{"name":"x","type":"TEXT","description":"${name}"}`;
    (await post(`${data}/datasets`, described)).fails(400, 'INVALID_PARAMETER', 'description');
    (await post(`${data}/datasets`, `{"name":"x","type":"TEXT","tags":["${name}"]}`)).fails(
      400,
      'INVALID_PARAMETER',
      'tags',
    );
    (await post(`${data}/tags`, `{"name":"${name}"}`)).fails(400, 'INVALID_PARAMETER', 'name');
    (await post('/auth/login', `{"username":"${name}","password":"x"}`)).fails(400);
    (await post('/auth/api-keys', `{"name":"${name}"}`)).fails(400, undefined, 'name');
    (await post('/data-cleaning/tasks', `{"name":"${name}"}`)).fails(400);
  }
});

test('huge and numerous values', async () => {
  const { admin } = await shared.open();
  const { id } = await admin.newDataset();
  const preUpload = `${data}/datasets/${id}/files/upload/pre-upload`;
  const send = (path: string, text: string) => admin.call('POST', path, { body: Buffer.from(text), contentType: json });

  for (const number of [
    '1e400',
    '-1e400',
    '9007199254740993',
    '1e21',
    '99999999999999999999999999',
    '-0.0000001',
    '1.0000000001',
  ]) {
    (await send(preUpload, `{"totalFileNum":${number},"totalSize":1}`)).fails(400, 'INVALID_PARAMETER', 'totalFileNum');
  }
  for (const number of ['1e400', '-1', '1e300', '0.5']) {
    (await send(preUpload, `{"totalFileNum":1,"totalSize":${number}}`)).fails(400, 'INVALID_PARAMETER', 'totalSize');
  }
  const long = 'x'.repeat(100_000);
  (await admin.post(`${data}/datasets`, { name: long, type: 'TEXT' })).fails(400, 'INVALID_PARAMETER', 'name');
  (await admin.post(`${data}/datasets`, { name: 'x', type: long })).fails(400, 'INVALID_PARAMETER', 'type');
  const login = await admin.post('/auth/login', { username: long.slice(0, 16_000), password: 'x' });
  assert.ok([400, 401].includes(login.status), String(login.status));
  (await admin.post('/auth/login', { username: long, password: 'x' })).fails(413);
  const keys = Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`k${index}`, 1]));
  assert.equal((await admin.post(`${data}/datasets`, { ...keys, name: 'many keys', type: 'TEXT' })).status, 201);
  const tags = Array.from({ length: 15_000 }, (_, index) => `tag ${index}`);
  const many = await admin.post(`${data}/datasets`, { name: 'many tags', type: 'TEXT', tags });
  many.fails(400, 'INVALID_PARAMETER', 'tags');
  const ids = Array.from({ length: 15_000 }, () => '0198c0de-0000-7000-8000-000000000000');
  const removal = await admin.post(`${data}/datasets/${id}/files/batch-delete`, { fileIds: ids });
  removal.fails(400, 'INVALID_PARAMETER', 'fileIds');
  const values = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [index, 1]));
  (await admin.post(`${data}/datasets/${id}/files/batch-delete`, values)).fails(
    413,
    'PAYLOAD_TOO_LARGE',
    '20,000 values',
  );
});
