import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NewApiKey } from './shapes.ts';
import type { Answer } from './answer.ts';
import { sharedService, signIn, startServiceWithUsers, userPassword } from './service.ts';

const data = '/data-management';
const remaining = (answer: Answer): number => Number(answer.header('X-RateLimit-Remaining'));
const limit = (answer: Answer): number => Number(answer.header('X-RateLimit-Limit'));

/** Limits count from the start of the service, so a test's preparing calls are few and counted. */
const limits = (perMinute: number, perHour: number) => ({
  TILTH_RATE_LIMIT_PER_MINUTE: String(perMinute),
  TILTH_RATE_LIMIT_PER_HOUR: String(perHour),
});

/** For tests that use few of their credentials' calls. */
const shared = sharedService(import.meta.url, limits(30, 1000));

test('200 calls at once get the limit and no more', async (t) => {
  const { anonymous } = await startServiceWithUsers(t, limits(50, 1000));
  const caller = await signIn(anonymous, 'vera');
  const answers = await Promise.all(Array.from({ length: 200 }, () => caller.get('/auth/me')));
  const good = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  assert.deepEqual([good.length, refused.length], [50, 150]);
  assert.deepEqual(
    good.map(remaining).sort((a, b) => b - a),
    Array.from({ length: 50 }, (_, index) => 49 - index),
  );
  const now = Date.now() / 1000;
  for (const answer of answers) {
    assert.equal(limit(answer), 50);
    const reset = Number(answer.header('X-RateLimit-Reset'));
    assert.ok(Number.isInteger(reset) && reset > now - 5 && reset <= now + 65, `reset in ${reset - now} s`);
  }
  for (const answer of refused) {
    answer.fails(429);
    assert.equal(remaining(answer), 0);
    const retryAfter = Number(answer.header('Retry-After'));
    assert.ok(retryAfter >= 1 && retryAfter <= 60, `Retry-After ${retryAfter}`);
  }

  await t.test('data management answers 429 in its own shape', async () => {
    (await caller.get(`${data}/datasets`)).fails(429, 'RATE_LIMIT_EXCEEDED');
  });

  await t.test('another credential of the same address is free', async () => {
    const other = await signIn(anonymous, 'erin');
    assert.equal((await other.get('/auth/me')).status, 200);
  });
});

test('headers show the window with fewer calls remaining', async (t) => {
  const { anonymous } = await startServiceWithUsers(t, limits(40, 30));
  const caller = await signIn(anonymous, 'vera');
  const first = await caller.get('/auth/me');
  assert.deepEqual([limit(first), remaining(first)], [30, 29]);
  const inAnHour = Date.now() / 1000 + 3600;
  assert.ok(Math.abs(Number(first.header('X-RateLimit-Reset')) - inAnHour) < 30);
  const rest = await Promise.all(Array.from({ length: 60 }, () => caller.get('/auth/me')));
  assert.equal(rest.filter(({ status }) => status === 200).length, 29);
});

test('answers of every kind carry the headers and count', async (t) => {
  const { anonymous } = await startServiceWithUsers(t, limits(60, 1000));
  const caller = await signIn(anonymous, 'vera');
  const calls: [method: string, path: string, status: number][] = [
    ['GET', '/auth/me', 200],
    ['GET', '/nothing', 404],
    ['GET', `${data}/datasets/a.b`, 400],
    ['GET', `${data}/datasets/0198c0de-0000-7000-8000-000000000000`, 404],
    ['DELETE', `${data}/datasets`, 405],
    ['POST', `${data}/datasets`, 403],
  ];
  let last = 60;
  for (const [method, path, status] of calls) {
    const answer = await caller.call(method, path);
    assert.equal(answer.status, status, `${method} ${path}`);
    assert.equal(remaining(answer), last - 1, `${method} ${path}`);
    last -= 1;
  }
  const before = remaining(await anonymous.get('/auth/me'));
  assert.equal(
    remaining(await anonymous.withBearer('bad').get('/auth/me')),
    before - 1,
    'a bad token counts for its address',
  );
  assert.equal(
    remaining(await anonymous.withKey('bad').get('/auth/me')),
    before - 2,
    'a bad key counts for its address',
  );
});

test('the limit comes before the credential', async (t) => {
  const { anonymous } = await startServiceWithUsers(t, limits(30, 1000));
  const answers = await Promise.all(Array.from({ length: 60 }, () => anonymous.get(`${data}/datasets`)));
  assert.ok(answers.some(({ status }) => status === 401));
  (await anonymous.get(`${data}/datasets`)).fails(429, 'RATE_LIMIT_EXCEEDED');
  (await anonymous.withBearer('bad').get(`${data}/datasets`)).fails(429, 'RATE_LIMIT_EXCEEDED');
  (await anonymous.get('/auth/me')).fails(429);
});

test('0 turns a window off', async (t) => {
  const { anonymous } = await startServiceWithUsers(t, limits(0, 25));
  const caller = await signIn(anonymous, 'vera');
  assert.equal(limit(await caller.get('/auth/me')), 25);
});

test('an upload’s chunk calls are free up to its allowance', async (t) => {
  const { anonymous } = await startServiceWithUsers(t, limits(30, 1000));
  const caller = await signIn(anonymous, 'erin');
  const { id } = await caller.newDataset();
  const reqId = await caller.newUpload(id, { totalFileNum: 3, totalSize: 1024 * 1024 + 1 });
  const fields = { reqId, fileNo: 1, fileName: 'a.txt', totalChunkNum: 2, chunkNo: 1, bytes: 'soil' };
  const before = remaining(await caller.get('/auth/me'));
  const allowance = 3 + 2 * 2;
  for (let call = 1; call <= allowance; call += 1) {
    const answer = await caller.sendChunk(id, fields);
    assert.deepEqual([answer.status, remaining(answer)], [200, before], `chunk call ${call} is free`);
  }
  for (let call = 1; call <= before; call += 1) {
    assert.equal(
      remaining(await caller.sendChunk(id, fields)),
      before - call,
      `chunk call ${allowance + call} is charged`,
    );
  }
  (await caller.sendChunk(id, fields)).fails(429, 'RATE_LIMIT_EXCEEDED');
  (await caller.get('/auth/me')).fails(429);
});

test('chunk calls of no upload are charged', async () => {
  const { anonymous } = await shared.openWithUsers();
  const caller = await signIn(anonymous, 'erin');
  const { id } = await caller.newDataset();
  const fields = { reqId: 'none', fileNo: 1, fileName: 'a.txt', totalChunkNum: 2, chunkNo: 1, bytes: 'soil' };
  const before = remaining(await caller.get('/auth/me'));
  (await caller.sendChunk(id, fields)).fails(404, 'UPLOAD_NOT_FOUND');
  assert.equal(remaining(await caller.get('/auth/me')), before - 2);
});

test('health checks are not API calls', async () => {
  const { anonymous } = await shared.openWithUsers();
  const caller = await signIn(anonymous, 'vera');
  const before = remaining(await caller.get('/auth/me'));
  for (const path of ['/healthz', '/readyz']) {
    assert.equal((await caller.callRaw('GET', path)).headers['x-ratelimit-remaining'], undefined);
  }
  assert.equal(remaining(await caller.get('/auth/me')), before - 1);
});

test('keys count for themselves', async () => {
  const { anonymous } = await shared.openWithUsers();
  const caller = await signIn(anonymous, 'vera');
  const { key } = (await caller.post('/auth/api-keys', { name: 'k' })).is(201, NewApiKey);
  assert.equal(remaining(await anonymous.withKey(key).get('/auth/me')), 29);
  assert.equal(remaining(await anonymous.withKey(key).get('/auth/me')), 28);
});

test('the cookie has limits of its own', async () => {
  const { anonymous } = await shared.openWithUsers();
  const answer = await anonymous.post('/auth/login', { username: 'vera', password: userPassword, cookie: true });
  const cookie = (answer.headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
  const first = await anonymous.as({ Cookie: cookie }).get('/auth/me');
  assert.deepEqual([first.status, limit(first)], [200, 1000]);
});
