// Tokens and API keys: which are good, whose rights they have, and when they end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { SignJWT, decodeJwt, decodeProtectedHeader } from 'jose';
import Type from 'typebox';
import { sharedService, signIn, startServiceWithUsers, userPassword } from './service.ts';
import { ApiKey, Login, Me, NewApiKey, User } from './shapes.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';
const secret = 'a secret of the tests that is long enough for HS256';
const credentials = { username: 'vera', password: userPassword };

test('tokens', async (t) => {
  const { anonymous } = await startServiceWithUsers(t, { TILTH_JWT_SECRET: secret, TILTH_TOKEN_TTL_SECONDS: '1800' });
  const { token, expiresIn } = (await anonymous.post('/auth/login', credentials)).is(200, Login);
  assert.equal(expiresIn, 1800);
  const claims = decodeJwt(token);
  const header = decodeProtectedHeader(token);
  const key = new TextEncoder().encode(secret);
  const sign = (changes: Record<string, unknown>, alg = 'HS256', by = key): Promise<string> =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ ...header, alg }).sign(by);
  const [head = '', payload = '', signature = ''] = token.split('.');
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  await t.test('one made with the configured secret is good', async () => {
    (await anonymous.withBearer(await sign({})).get('/auth/me')).is(200, Me);
  });

  const forged: Record<string, () => Promise<string>> = {
    'no signature, alg none': async () => `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    'alg None with the old signature': async () => `${encode({ alg: 'None' })}.${payload}.${signature}`,
    'signature cut off': async () => `${head}.${payload}.`,
    'signature changed': async () => `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    'payload changed': async () => `${head}.${encode({ ...claims, sub: 'admin' })}.${signature}`,
    'another key': () => sign({}, 'HS256', new TextEncoder().encode('another secret that is long enough, too')),
    'another algorithm with the right key': () => sign({}, 'HS512'),
    expired: () => sign({ exp: Math.floor(Date.now() / 1000) - 10 }),
    'without expiry': () => sign({ exp: undefined }),
    'another issuer': () => sign({ iss: 'someone else' }),
    'another audience': () => sign({ aud: 'someone else' }),
    'no subject': () => sign({ sub: undefined }),
    'an unknown subject': () => sign({ sub: '0198c0de-0000-7000-8000-000000000000' }),
    'not a token': async () => 'x'.repeat(5000),
    'three dots': async () => '...',
  };
  for (const [why, make] of Object.entries(forged)) {
    await t.test(`refused: ${why}`, async () => {
      const caller = anonymous.withBearer(await make());
      (await caller.get('/auth/me')).fails(401);
      (await caller.get(`${data}/datasets`)).fails(401, 'UNAUTHENTICATED');
    });
  }

  await t.test('malformed Authorization headers', async () => {
    for (const value of ['Bearer', 'Bearer ', `Basic ${token}`, token, `Bearer ${token} x`, 'Bearer null']) {
      (await anonymous.as({ Authorization: value }).get('/auth/me')).fails(401);
    }
  });
});

test('a token ends with its lifetime', async (t) => {
  const { anonymous } = await startServiceWithUsers(t, { TILTH_TOKEN_TTL_SECONDS: '8' });
  const caller = await signIn(anonymous, 'vera');
  const deadline = Date.now() + 60_000;
  while ((await caller.get('/auth/me')).status !== 401) {
    assert.ok(Date.now() < deadline, 'the token never expired');
    await setTimeout(50);
  }
});

test('API keys', async (t) => {
  const { admin, editor, viewer, anonymous } = await shared.openWithUsers();
  const newKey = async (body: unknown, caller = editor) =>
    (await caller.post('/auth/api-keys', body)).is(201, NewApiKey);

  await t.test('the key is shown once', async () => {
    const created = await newKey({ name: 'nightly' });
    assert.ok(created.key.startsWith(created.prefix));
    const answer = await editor.get('/auth/api-keys');
    const listed = answer.is(200, Type.Array(ApiKey)).find(({ id }) => id === created.id);
    assert.deepEqual([listed?.name, listed?.prefix], ['nightly', created.prefix]);
    assert.ok(!answer.bytes.includes(created.key));
    const me = (await anonymous.withKey(created.key).get('/auth/me')).is(200, Me);
    assert.deepEqual([me.username, me.role], ['erin', 'EDITOR']);
    (await anonymous.withKey(created.key).get(`${data}/datasets`)).is(200, Type.Object({}));
  });

  await t.test('each sees and ends own keys only', async () => {
    const { id, key } = await newKey({ name: 'mine' });
    assert.ok(!(await viewer.get('/auth/api-keys')).bytes.includes(id));
    (await viewer.delete(`/auth/api-keys/${id}`)).fails(404);
    (await editor.delete(`/auth/api-keys/${id}`)).isEmpty(204);
    (await anonymous.withKey(key).get('/auth/me')).fails(401);
    (await editor.delete(`/auth/api-keys/${id}`)).fails(404);
  });

  await t.test('a key’s role never exceeds its owner’s', async () => {
    const weaker = await newKey({ name: 'reader', role: 'VIEWER' });
    (await anonymous.withKey(weaker.key).post(`${data}/datasets`, { name: 'x', type: 'TEXT' })).fails(403, 'FORBIDDEN');
    const stronger = await viewer.post('/auth/api-keys', { name: 'climber', role: 'ADMIN' });
    if (stronger.status === 201) {
      const { key } = stronger.is(201, NewApiKey);
      assert.equal((await anonymous.withKey(key).get('/auth/me')).is(200, Me).role, 'VIEWER');
      (await anonymous.withKey(key).get('/auth/users')).fails(403);
    } else assert.ok([400, 403].includes(stronger.status), String(stronger.status));
    const weakCaller = anonymous.withKey(weaker.key);
    const climb = await weakCaller.post('/auth/api-keys', { name: 'climber', role: 'EDITOR' });
    if (climb.status === 201) {
      const { key } = climb.is(201, NewApiKey);
      assert.equal(
        (await anonymous.withKey(key).get('/auth/me')).is(200, Me).role,
        'VIEWER',
        'a key made a stronger one',
      );
    }
    const { key } = await newKey({ name: 'demoted' });
    const { id } = (await editor.get('/auth/me')).is(200, Me);
    (await admin.put(`/auth/users/${id}`, { role: 'VIEWER' })).is(200, User);
    (await anonymous.withKey(key).post(`${data}/datasets`, { name: 'x', type: 'TEXT' })).fails(403, 'FORBIDDEN');
    (await admin.put(`/auth/users/${id}`, { role: 'EDITOR' })).is(200, User);
  });

  await t.test('a key ends when it expires', async () => {
    const caller = await signIn(anonymous, 'erin');
    for (const expiresAt of ['yesterday', 5, '2001-01-01T00:00:00.000Z', '2026-13-40T00:00:00.000Z']) {
      (await caller.post('/auth/api-keys', { name: 'x', expiresAt })).fails(400, undefined, 'expiresAt');
    }
    const expiresAt = new Date(Date.now() + 1500).toISOString();
    const { key } = await newKey({ name: 'short', expiresAt }, caller);
    (await anonymous.withKey(key).get('/auth/me')).is(200, Me);
    const deadline = Date.now() + 60_000;
    while ((await anonymous.withKey(key).get('/auth/me')).status !== 401) {
      assert.ok(Date.now() < deadline, 'the key never expired');
      await setTimeout(50);
    }
  });

  await t.test('bad keys', async () => {
    for (const key of ['', 'x', 'tilth_'.repeat(1000), '../../etc/passwd']) {
      (await anonymous.withKey(key).get('/auth/me')).fails(401);
    }
    (await editor.post('/auth/api-keys', { name: 'x', role: 'ROOT' })).fails(400, undefined, 'role');
  });

  await t.test('both headers: the bearer token decides', async () => {
    const caller = await signIn(anonymous, 'vera');
    const { key } = await newKey({ name: 'both' }, await signIn(anonymous, 'erin'));
    const { token } = (await anonymous.post('/auth/login', credentials)).is(200, Login);
    const good = { Authorization: `Bearer ${token}`, 'X-API-Key': 'bad' };
    assert.equal((await anonymous.as(good).get('/auth/me')).is(200, Me).username, 'vera');
    const two = { Authorization: `Bearer ${token}`, 'X-API-Key': key };
    assert.equal((await anonymous.as(two).get('/auth/me')).is(200, Me).username, 'vera');
    (await anonymous.as({ Authorization: 'Bearer bad', 'X-API-Key': key }).get('/auth/me')).fails(401);
    (await caller.post('/auth/logout')).isEmpty(204);
  });
});
