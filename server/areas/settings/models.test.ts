import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { createPostgresDatabase, postgres } from '../../../tests/support/postgres.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';
import { templates } from '../../../tests/support/template-databases.ts';
import { testWith } from '../../../tests/support/tools.ts';
import { startApp, type RunningApp } from '../../../tests/support/server.ts';
import { completion, embeddings, refuse, replyWith, send, startProvider } from '../../../tests/fakes/model-provider.ts';
import type { ModelView } from './schemas/models.ts';

type Answer<T> = { code: number; message: string; data: T; error?: string };
type Page = { content: ModelView[]; totalElements: number };
type Test = { ok: boolean; message: string; tookMs: number };

const settings = { TILTH_OUTGOING_ALLOW: '127.0.0.1' };
const shared = sharedApp(import.meta.url, { settings });
const chat = { name: 'Chat', kind: 'CHAT', model: 'test-1', baseUrl: 'https://models.example/v1/' };

/** A client whose models on a shared service are deleted after the test. */
function clientOf({ api }: RunningApp, t?: TestContext) {
  const made: string[] = [];
  t?.after(async () => {
    for (const id of made) await api('DELETE', `/settings/models/${id}`);
  });
  return {
    list: async (query = '') => (await api<Answer<Page>>('GET', `/settings/models${query}`)).body.data,
    async create(body: object) {
      const answer = await api<Answer<ModelView>>('POST', '/settings/models', body);
      if (answer.status === 201) made.push(answer.body.data.id);
      return answer;
    },
    put: (id: string, body: object) => api<Answer<ModelView>>('PUT', `/settings/models/${id}`, body),
    test: async (id: string) => (await api<Answer<Test>>('POST', `/settings/models/${id}/test`)).body.data,
  };
}

forAnyDatabase('models are set up, changed, found and deleted', async (t, _open, database) => {
  const app = await startApp(t, { settings, database });
  const { list, create, put } = clientOf(app);
  assert.deepEqual(
    (await list()).content.map(({ id, name, kind, builtIn }) => [id, name, kind, builtIn]),
    [
      ['builtin-cloze', 'builtin:cloze', 'CHAT', true],
      ['builtin-hash-512', 'builtin:hash-512', 'EMBEDDING', true],
    ],
  );
  const prices = { input: 0.15, output: 0.6 };
  const limits = { concurrency: 4, perDay: { maxCost: 2.5 } };
  const { status, body } = await create({ ...chat, name: ' Chat ', apiKey: 'sk-planted', prices, limits });
  assert.equal(status, 201, JSON.stringify(body));
  const made = body.data;
  assert.deepEqual(
    [made.name, made.baseUrl, made.provider, made.apiKey, made.hasSecret, made.prices, made.limits, made.createdBy],
    ['Chat', 'https://models.example/v1', 'openai-compatible', null, true, prices, limits, 'admin'],
  );
  assert.equal((await app.api<Answer<ModelView>>('GET', `/settings/models/${made.id}`)).body.data.id, made.id);

  const kept = await put(made.id, { ...made, name: 'Renamed' });
  assert.deepEqual([kept.status, kept.body.data.name, kept.body.data.hasSecret], [200, 'Renamed', true]);
  assert.deepEqual((await put(made.id, { limits: {} })).body.data.prices, prices, 'what is left out stays');
  assert.equal((await put(made.id, { apiKey: '' })).body.data.hasSecret, false);
  assert.equal((await put(made.id, { apiKey: 'other' })).body.data.hasSecret, true);

  await create({ name: 'Vectors', kind: 'EMBEDDING', model: 'v', baseUrl: 'http://127.0.0.1:11434/v1' });
  const names = async (query: string) => (await list(query)).content.map(({ name }) => name);
  assert.deepEqual(await names('?kind=EMBEDDING'), ['builtin:hash-512', 'Vectors']);
  assert.deepEqual(await names('?keyword=VECT'), ['Vectors']);
  assert.deepEqual(await names('?page=1&size=2'), ['Vectors', 'Renamed']);

  for (const id of ['builtin-cloze', 'builtin-hash-512']) {
    assert.equal((await put(id, { name: 'x' })).status, 409);
    assert.equal((await app.api('DELETE', `/settings/models/${id}`)).status, 409);
  }
  assert.equal((await app.api('DELETE', `/settings/models/${made.id}`)).status, 204);
  for (const [method, path] of [
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/test'],
    ['GET', '/usage'],
  ] as const) {
    const body404 = method === 'PUT' ? {} : undefined;
    assert.equal((await app.api(method, `/settings/models/${made.id}${path}`, body404)).status, 404, method + path);
  }
});

shared.forAnyDatabase('a key does not follow a model to another origin', async (t, app) => {
  const { create, put, test: call } = clientOf(app, t);
  const [first, other] = [await startProvider(t), await startProvider(t)];
  const { id } = (await create({ ...chat, baseUrl: first.baseUrl, apiKey: 'sk-planted' })).body.data;
  for (const apiKey of [undefined, null]) {
    const { status, body } = await put(id, { baseUrl: other.baseUrl, apiKey });
    assert.equal(status, 400);
    assert.match(body.error ?? '', /^apiKey must be given again for the new address, or be "" to remove it/);
  }
  assert.equal((await put(id, { baseUrl: `${first.baseUrl}/more` })).body.data.hasSecret, true, 'the same origin');

  // Nor by changing to a local model, which has no address, and back.
  const local = { provider: 'builtin', kind: 'EMBEDDING', model: 'onnx:mini' };
  assert.equal((await put(id, local)).status, 200);
  const back = { provider: 'openai-compatible', kind: 'CHAT', model: 'm', baseUrl: other.baseUrl };
  assert.equal((await put(id, back)).status, 400);

  assert.equal((await put(id, { ...back, apiKey: '' })).body.data.hasSecret, false);
  assert.equal((await call(id)).ok, true);
  assert.equal((await put(id, { baseUrl: first.baseUrl })).status, 200, 'without a key there is none to give');
  assert.equal((await put(id, { baseUrl: other.baseUrl, apiKey: 'sk-other' })).status, 200);
  await call(id);
  assert.deepEqual(
    other.requests.map(({ headers }) => headers.authorization),
    [undefined, 'Bearer sk-other'],
  );
});

testWith([postgres], 'a process without the shared key does not start, and says what to do', async (t) => {
  const { url, drop } = await createPostgresDatabase(templates.postgresUrl);
  const startWith = (key: string) =>
    startApp(t, { database: { url }, settings: { ...settings, TILTH_SECRETS_KEY: key.repeat(32) } });
  await startWith('a1');
  t.after(drop);
  await assert.rejects(startWith('b2'), /set TILTH_SECRETS_KEY to the value that the other nodes have/);
});

test('what can not be a model is refused by field', async (t) => {
  const { create } = clientOf(await shared.open(), t);
  const wrong: readonly (readonly [change: object, field: RegExp])[] = [
    [{ name: ' ' }, /^name/],
    [{ name: 'n'.repeat(101) }, /^name/],
    [{ kind: 'IMAGE' }, /^kind/],
    [{ provider: 'other' }, /^provider/],
    [{ model: '' }, /^model/],
    [{ baseUrl: null }, /^baseUrl/],
    [{ baseUrl: 'example.com' }, /^baseUrl/],
    [{ baseUrl: 'file:///etc' }, /^baseUrl/],
    [{ baseUrl: 'http://127.0.0.1:73356/' }, /^baseUrl has an invalid host or port/],
    [{ baseUrl: 'http://[::1%25lo]/' }, /^baseUrl has an invalid host or port/],
    [{ baseUrl: 'https://me:key@example.com/' }, /^baseUrl must not contain credentials/],
    [{ baseUrl: 'https://example.com/?key=1' }, /^baseUrl/],
    [{ apiKey: 'a\nb' }, /^apiKey/],
    [{ apiKey: 'schlüssel' }, /^apiKey/],
    [{ apiKey: 7 }, /^apiKey/],
    [{ prices: { input: -1, output: 0 } }, /^prices/],
    [{ limits: { concurrency: 0 } }, /^limits/],
    [{ limits: { perDay: { maxCalls: 1.5 } } }, /^limits/],
    [{ provider: 'builtin', model: 'cloze' }, /^model must begin with onnx:/],
    [{ provider: 'builtin', model: 'onnx:../../etc', kind: 'EMBEDDING' }, /^model/],
    [{ provider: 'builtin', model: 'onnx:mini' }, /^kind/],
  ];
  for (const [change, field] of wrong) {
    const { status, body } = await create({ ...chat, ...change });
    assert.equal(status, 400, JSON.stringify(change));
    assert.match(body.error ?? '', field);
  }
});

test('a test call says in plain words what it found', async (t) => {
  const key = 'sk-planted-0123456789abcdef';
  const { create, test: call, put } = clientOf(await shared.open(), t);
  const provider = await startProvider(t);
  const { id } = (await create({ ...chat, baseUrl: provider.baseUrl, apiKey: key })).body.data;
  const fine = await call(id);
  assert.deepEqual([fine.ok, fine.message], [true, 'Chat works: it read 10 tokens and answered with 5']);
  assert.ok(Number.isInteger(fine.tookMs));
  await call(id);
  assert.equal(provider.requests.length, 2, 'no reply of the ledger stands in for a call');

  const found: readonly (readonly [answer: typeof provider.answer, message: RegExp])[] = [
    [
      refuse(401, `Incorrect API key provided: ${key}`),
      /refuses the API key \(401\): Incorrect API key provided: \[redacted\]/,
    ],
    [refuse(404, 'no such model'), /knows no model test-1 at this address/],
    [refuse(429, 'wait'), /gets more calls than it takes \(429\)/],
    [refuse(500, 'oops'), /failed \(500\): oops/],
    [
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /OpenAI-compatible API/,
    ],
    [
      (_request, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      /redirects to an address of file:, which is not followed/,
    ],
    [
      (_request, response) => void response.writeHead(301, { location: 'https://elsewhere.example/v1' }).end(),
      /redirects to https:\/\/elsewhere\.example/,
    ],
  ];
  for (const [answer, message] of found) {
    provider.answer = answer;
    const { ok, message: said } = await call(id);
    assert.equal(ok, false);
    assert.match(said, message);
    assert.doesNotMatch(said, /planted/);
  }
  const elsewhere: readonly (readonly [baseUrl: string, message: RegExp])[] = [
    ['http://127.0.0.1:1/v1', /Port 1 belongs to another protocol/],
    ['http://127.0.0.1:4/v1', /Nothing accepts connections at 127\.0\.0\.1:4/],
    ['http://[fd00::1]:8080/v1', /connections to \[fd00::1\]:8080 are not allowed/i],
    ['http://10.255.255.1/v1', /not allowed.*TILTH_OUTGOING_ALLOW/],
    ['http://nowhere.invalid/v1', /name nowhere\.invalid.* could not be resolved/],
  ];
  for (const [baseUrl, message] of elsewhere) {
    await put(id, { baseUrl, apiKey: key });
    const { ok, message: said } = await call(id);
    assert.deepEqual([ok, message.test(said)], [false, true], said);
  }
  provider.answer = embeddings;
  const vectors = (await create({ ...chat, kind: 'EMBEDDING', baseUrl: provider.baseUrl })).body.data;
  assert.match((await call(vectors.id)).message, /it returns embeddings with 3 dimensions/);
  for (const builtIn of ['builtin-cloze', 'builtin-hash-512']) assert.equal((await call(builtIn)).ok, true);
  const local = (await create({ ...chat, kind: 'EMBEDDING', provider: 'builtin', model: 'onnx:mini' })).body.data;
  assert.match((await call(local.id)).message, /There is no model in .*models\/mini/);
});

shared.forAnyDatabase('tokens that a provider does not tell are claimed by nobody', async (t, app) => {
  const { create, test: call } = clientOf(app, t);
  const provider = await startProvider(t);
  const { id } = (await create({ ...chat, baseUrl: provider.baseUrl, prices: { input: 1, output: 2 } })).body.data;
  const figures = [null, -10, 1e300, '10', 10.5, 2 ** 40];
  for (const told of figures) {
    const usage = told === null ? null : { prompt_tokens: told, completion_tokens: 5 };
    provider.answer = (_request, response) => send(response, 200, completion('OK', usage));
    const { ok, message } = await call(id);
    assert.deepEqual([ok, message], [true, 'Chat works: it answered without reporting token counts'], String(told));
  }
  const { body } = await app.api<Answer<{ totals: object }>>('GET', `/settings/models/${id}/usage`);
  const nothing = { inputTokens: 0, outputTokens: 0, cost: 0 };
  assert.deepEqual(body.data.totals, { calls: figures.length, ...nothing, unreportedCalls: figures.length });
});

test('a test call keeps to the time of the model, and to a wait that its provider asked for', async (t) => {
  const { create, test: call } = clientOf(await shared.open(), t);
  const provider = await startProvider(t, () => {});
  const { id } = (await create({ ...chat, baseUrl: provider.baseUrl, limits: { timeoutSeconds: 1 } })).body.data;
  const late = await call(id);
  assert.deepEqual([late.ok, late.tookMs < 10_000], [false, true], JSON.stringify(late));
  assert.match(late.message, /Chat did not answer within 1 s/);

  provider.answer = refuse(429, 'wait', { 'retry-after': '99999999' });
  assert.match((await call(id)).message, /gets more calls than it takes \(429\)/);
  // Longer than the state of a model without calls is kept otherwise.
  await setTimeout(5_000);
  const asked = provider.requests.length;
  const paused = await call(id);
  assert.equal(paused.ok, false);
  assert.match(paused.message, /The provider of Chat asked to wait: no call is made until 20\d\d-\d\d-\d\dT[\d:.]+Z$/);
  assert.equal(provider.requests.length, asked);
});

test('how long runs and replies are kept is told as it is set', async (t) => {
  for (const [given, expected] of [
    [{}, { runDays: 90, runsKeptPerTask: 10, modelReplyDays: 90 }],
    [
      { TILTH_RUN_RETENTION_DAYS: '7', TILTH_MODEL_REPLY_RETENTION_DAYS: '0' },
      { runDays: 7, runsKeptPerTask: 10, modelReplyDays: null },
    ],
  ] as const) {
    const app = await startApp(t, { settings: { ...settings, ...given } });
    const { body } = await app.api<Answer<object>>('GET', '/settings/retention');
    assert.deepEqual(body.data, expected);
  }
});

test('administrators write, all others read', async () => {
  const app = await shared.open();
  const password = 'a long enough password';
  for (const role of ['EDITOR', 'VIEWER']) {
    const username = role.toLowerCase();
    await app.api('POST', '/auth/users', { username, password, role });
    const { body } = await app.api<{ token: string }>('POST', '/auth/login', { username, password });
    const as = { authorization: `Bearer ${body.token}` };
    const statusOf = async (method: string, path: string, sent?: object) =>
      (await app.api(method, `/settings/models${path}`, sent, as)).status;
    assert.equal(await statusOf('GET', ''), 200);
    assert.equal(await statusOf('GET', '/builtin-cloze/usage'), 200);
    assert.equal(await statusOf('POST', '', chat), 403);
    assert.equal(await statusOf('PUT', '/x', {}), 403);
    assert.equal(await statusOf('DELETE', '/x'), 403);
    assert.equal(await statusOf('POST', '/builtin-cloze/test'), 403);
  }
});

test('usage counts by day, attempts and all', async (t) => {
  const app = await shared.open();
  const { create, test: call } = clientOf(app, t);
  const provider = await startProvider(t, replyWith('OK'));
  const prices = { input: 1, output: 2 };
  const { id } = (await create({ ...chat, baseUrl: provider.baseUrl, prices })).body.data;
  await call(id);
  provider.answer = refuse(500, 'oops');
  await call(id);
  const { body } = await app.api<Answer<object>>('GET', `/settings/models/${id}/usage`);
  const figures = { calls: 2, inputTokens: 10, outputTokens: 5, cost: 0.00002, unreportedCalls: 0 };
  assert.deepEqual(body.data, {
    totals: figures,
    days: [{ day: new Date().toISOString().slice(0, 10), ...figures }],
    runs: [],
  });
});
