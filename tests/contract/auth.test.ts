import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { SignJWT, decodeJwt, decodeProtectedHeader } from 'jose';
import Type from 'typebox';
import { sortedStatuses } from './answer.ts';
import { sharedService, signIn, startServiceWithUsers, userPassword } from './service.ts';
import { ApiKey, Login, Me, NewApiKey, User } from './shapes.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';
const secret = 'a secret of the tests that is long enough for HS256';
const credentials = { username: 'vera', password: userPassword };

test('signing in and out', async (t) => {
  // Needs its own service: it changes the password of a user.
  const { anonymous, admin } = await startServiceWithUsers(t);

  await t.test('login gives a token and its lifetime in seconds', async () => {
    const { token, expiresIn } = (await anonymous.post('/auth/login', credentials)).is(200, Login);
    assert.equal(expiresIn, 3600);
    assert.equal(decodeProtectedHeader(token).alg, 'HS256');
    const { iss, aud, sub, exp, iat } = decodeJwt(token);
    assert.ok(iss && aud && sub && exp);
    assert.ok(Math.abs(exp - (iat ?? Date.now() / 1000) - 3600) <= 2);
    const me = (await anonymous.withBearer(token).get('/auth/me')).is(200, Me);
    assert.deepEqual([me.username, me.role], ['vera', 'VIEWER']);
  });

  await t.test('a wrong pair gives one answer whether or not the user exists', async () => {
    const answers = [];
    for (const pair of [
      { username: 'vera', password: 'not her password' },
      { username: 'nobody', password: 'not her password' },
      { username: '', password: '' },
      { username: 'vera', password: '' },
      { username: 'VERA '.repeat(500), password: 'x'.repeat(10_000) },
    ]) {
      const answer = await anonymous.post('/auth/login', pair);
      // An impossible name or password may also be refused as an invalid parameter.
      if (answer.status === 400) continue;
      answer.fails(401);
      answers.push((answer.json() as { error: string }).error);
    }
    assert.ok(answers.length >= 2);
    assert.equal(new Set(answers).size, 1);
  });

  await t.test('logout ends the token in use and no other', async () => {
    const first = await signIn(anonymous, 'vera');
    const second = await signIn(anonymous, 'vera');
    (await first.post('/auth/logout')).isEmpty(204);
    (await first.get('/auth/me')).fails(401);
    (await first.get(`${data}/datasets`)).fails(401, 'UNAUTHENTICATED');
    (await second.get('/auth/me')).is(200, Me);
  });

  await t.test('a new password stops older tokens', async () => {
    const older = await signIn(anonymous, 'vera');
    const inUse = await signIn(anonymous, 'vera');
    const change = (currentPassword: unknown, newPassword: unknown) =>
      inUse.put('/auth/me/password', { currentPassword, newPassword });
    (await change(userPassword, 'x'.repeat(11))).fails(400, undefined, 'newPassword');
    (await change(userPassword, 'x'.repeat(129))).fails(400, undefined, 'newPassword');
    (await change(userPassword, 5)).fails(400, undefined, 'newPassword');
    (await change(undefined, 'x'.repeat(12))).fails(400, undefined, 'currentPassword');
    const wrong = await change('not the password', 'x'.repeat(12));
    assert.ok([400, 401, 403].includes(wrong.status), `a wrong current password → ${wrong.status}`);
    (await inUse.get('/auth/me')).is(200, Me);
    (await change(userPassword, '🔑'.repeat(12))).isEmpty(204);
    (await older.get('/auth/me')).fails(401);
    (await anonymous.post('/auth/login', credentials)).fails(401);
    const fresh = await signIn(anonymous, 'vera', '🔑'.repeat(12));
    const long = { currentPassword: '🔑'.repeat(12), newPassword: 'y'.repeat(128) };
    (await fresh.put('/auth/me/password', long)).isEmpty(204);
    await signIn(anonymous, 'vera', 'y'.repeat(128));
  });

  await t.test('the first user is the admin', async () => {
    const me = (await admin.get('/auth/me')).is(200, Me);
    assert.deepEqual([me.username, me.role], ['admin', 'ADMIN']);
  });
});

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

test('users', async (t) => {
  const { admin, editor, viewer, anonymous, newCaller } = await startServiceWithUsers(t);
  const listUsers = async () => (await admin.get('/auth/users')).is(200, Type.Array(User));
  const idOf = async (username: string): Promise<string> =>
    (await listUsers()).find((user) => user.username === username)?.id ?? assert.fail(`${username} isn't listed`);

  await t.test('an array without anything of the passwords', async () => {
    const answer = await admin.get('/auth/users');
    assert.deepEqual(
      answer
        .is(200, Type.Array(User))
        .map(({ username }) => username)
        .sort(),
      ['admin', 'erin', 'vera'],
    );
    assert.doesNotMatch(answer.bytes.toString(), /password|argon2|hash/i);
  });

  await t.test('ADMIN only', async () => {
    const id = await idOf('vera');
    for (const caller of [editor, viewer]) {
      (await caller.get('/auth/users')).fails(403);
      (await caller.post('/auth/users', { username: 'x', password: userPassword, role: 'ADMIN' })).fails(403);
      (await caller.put(`/auth/users/${id}`, { role: 'ADMIN' })).fails(403);
      (await caller.delete(`/auth/users/${id}`)).fails(403);
    }
  });

  await t.test('a username that is taken', async () => {
    (await admin.post('/auth/users', { username: 'vera', password: userPassword, role: 'EDITOR' })).fails(409);
    const two = await Promise.all(
      [1, 2, 3, 4].map(() => admin.post('/auth/users', { username: 'twin', password: userPassword, role: 'EDITOR' })),
    );
    assert.deepEqual(sortedStatuses(two), [201, 409, 409, 409]);
  });

  await t.test('bad users', async () => {
    const good = { username: 'good', password: userPassword, role: 'VIEWER' };
    for (const [body, field] of [
      [{ ...good, role: 'ROOT' }, 'role'],
      [{ ...good, role: 'admin' }, 'role'],
      [{ ...good, username: '' }, 'username'],
      [{ ...good, username: '  ' }, 'username'],
      [{ ...good, username: 'x'.repeat(5000) }, 'username'],
      [{ ...good, password: 'x'.repeat(11) }, 'password'],
      [{ ...good, password: 'x'.repeat(129) }, 'password'],
    ] as const) {
      (await admin.post('/auth/users', body)).fails(400, undefined, field);
    }
  });

  await t.test('a new role holds at once, for tokens that are in use', async () => {
    const caller = await newCaller('rolf', 'EDITOR');
    (await caller.post(`${data}/datasets`, { name: 'x', type: 'TEXT' })).is(201, Type.Object({}));
    const changed = (await admin.put(`/auth/users/${await idOf('rolf')}`, { role: 'VIEWER' })).is(200, User);
    assert.equal(changed.role, 'VIEWER');
    const answer = await caller.post(`${data}/datasets`, { name: 'x', type: 'TEXT' });
    assert.ok([401, 403].includes(answer.status), `with the old role → ${answer.status}`);
    const again = await signIn(anonymous, 'rolf');
    (await again.post(`${data}/datasets`, { name: 'x', type: 'TEXT' })).fails(403, 'FORBIDDEN');
  });

  await t.test('a password that the admin sets', async () => {
    const caller = await newCaller('paul', 'VIEWER');
    (await admin.put(`/auth/users/${await idOf('paul')}`, { password: 'another password' })).is(200, User);
    (await caller.get('/auth/me')).fails(401);
    (await anonymous.post('/auth/login', { username: 'paul', password: userPassword })).fails(401);
    await signIn(anonymous, 'paul', 'another password');
  });

  await t.test('a deleted user is gone with tokens and keys', async () => {
    const caller = await newCaller('gone', 'EDITOR');
    const { key } = (await caller.post('/auth/api-keys', { name: 'k' })).is(201, NewApiKey);
    (await admin.delete(`/auth/users/${await idOf('gone')}`)).isEmpty(204);
    (await caller.get('/auth/me')).fails(401);
    (await anonymous.withKey(key).get('/auth/me')).fails(401);
    (await anonymous.post('/auth/login', { username: 'gone', password: userPassword })).fails(401);
  });

  await t.test('the last ADMIN stays', async () => {
    const adminId = await idOf('admin');
    (await admin.delete(`/auth/users/${adminId}`)).fails(409);
    (await admin.put(`/auth/users/${adminId}`, { role: 'EDITOR' })).fails(409);
    const second = await newCaller('ada', 'ADMIN');
    const secondId = await idOf('ada');
    // Both remove each other at the same moment: one of them has to remain.
    await Promise.all([admin.delete(`/auth/users/${secondId}`), second.delete(`/auth/users/${adminId}`)]);
    const left = await Promise.all([admin.get('/auth/me'), second.get('/auth/me')]);
    assert.deepEqual(sortedStatuses(left), [200, 401]);
  });
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

test('the cookie of the web application', async (t) => {
  const { anonymous } = await shared.openWithUsers();
  const erin = { username: 'erin', password: userPassword };
  const plain = await anonymous.post('/auth/login', erin);
  assert.equal(plain.headers['set-cookie'], undefined, 'no cookie without being asked for');
  const answer = await anonymous.post('/auth/login', { ...erin, cookie: true });
  const { token } = answer.is(200, Login);
  const cookies = answer.headers['set-cookie'] ?? [];
  const cookie = cookies.find((line) => line.includes(token)) ?? assert.fail('no cookie carries the token');
  const pair = cookie.split(';')[0] ?? '';
  const all = cookies.map((line) => line.split(';')[0]).join('; ');
  const caller = anonymous.as({ Cookie: all });
  const csrfHeader = 'X-CSRF-Token';
  const csrfToken = /csrf[^=]*=([^;]+)/i.exec(all)?.[1] ?? assert.fail('no CSRF cookie beside it');

  await t.test('is HttpOnly and SameSite=Strict', () => {
    assert.match(cookie, /;\s*HttpOnly/i);
    assert.match(cookie, /;\s*SameSite=Strict/i);
  });

  await t.test('reads', async () => {
    assert.equal((await caller.get('/auth/me')).is(200, Me).username, 'erin');
    (await anonymous.as({ Cookie: pair }).get(`${data}/datasets`)).is(200, Type.Object({}));
    (await anonymous.as({ Cookie: pair.replace(token, 'bad') }).get('/auth/me')).fails(401);
  });

  await t.test('writes only with the CSRF header', async () => {
    const body = { name: 'By cookie', type: 'TEXT' };
    (await caller.post(`${data}/datasets`, body)).fails(403, 'FORBIDDEN');
    (await caller.delete(`${data}/datasets/0198c0de-0000-7000-8000-000000000000`)).fails(403, 'FORBIDDEN');
    (await anonymous.as({ Cookie: all, [csrfHeader]: 'x' }).post(`${data}/datasets`, body)).fails(403, 'FORBIDDEN');
    const answer = await anonymous.as({ Cookie: all, [csrfHeader]: csrfToken }).post(`${data}/datasets`, body);
    answer.is(201, Type.Object({}));
  });

  await t.test('explicit headers win', async () => {
    (await anonymous.as({ Cookie: all, Authorization: 'Bearer bad' }).get('/auth/me')).fails(401);
    (await anonymous.as({ Cookie: all, 'X-API-Key': 'bad' }).get('/auth/me')).fails(401);
    const { token } = (await anonymous.post('/auth/login', credentials)).is(200, Login);
    const both = anonymous.as({ Cookie: all, Authorization: `Bearer ${token}` });
    assert.equal((await both.get('/auth/me')).is(200, Me).username, 'vera');
  });

  await t.test('logout ends it', async () => {
    (await caller.post('/auth/logout')).fails(403);
    (await anonymous.as({ Cookie: all, [csrfHeader]: csrfToken }).post('/auth/logout')).isEmpty(204);
    (await caller.get('/auth/me')).fails(401);
  });
});
