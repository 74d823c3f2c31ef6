// Signing in and out, users, and the cookie of the web application.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import Type from 'typebox';
import { sortedStatuses } from './answer.ts';
import { sharedService, signIn, startServiceWithUsers, userPassword } from './service.ts';
import { Login, Me, NewApiKey, User } from './shapes.ts';

const shared = sharedService(import.meta.url);

const data = '/data-management';

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
