import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import { password, callerOf, newUser, signIn } from '../../../tests/support/callers.ts';
import { forAnyDatabase, forEachDatabase } from '../../../tests/support/databases.ts';
import { adminPassword, startApp, type RunningApp } from '../../../tests/support/server.ts';
import { until } from '../../../tests/support/until.ts';
import type { Database, DatabaseOptions } from '../../storage/database/database.ts';
import { lockAdmins } from './queries/users.ts';

async function start(
  t: TestContext,
  database: DatabaseOptions,
  settings: Record<string, string> = {},
): Promise<RunningApp> {
  return startApp(t, { database, settings });
}

forAnyDatabase('signing in, out, and who one is', async (t, _open, database) => {
  const app = await start(t, database, { TILTH_TOKEN_TTL_SECONDS: '1800' });
  const login = await app.api(
    'POST',
    '/auth/login',
    { username: ' ADMIN ', password: adminPassword },
    { authorization: '' },
  );
  assert.equal(login.body.expiresIn, 1800);
  assert.equal(login.headers.get('cache-control'), 'no-store');
  assert.equal(login.headers.has('set-cookie'), false);
  const call = callerOf(app, { authorization: `Bearer ${String(login.body.token)}` });
  const me = await call('GET', '/auth/me');
  assert.deepEqual(
    [me.status, Object.keys(me.body), me.body.username, me.body.role],
    [200, ['id', 'username', 'role'], 'admin', 'ADMIN'],
  );

  const messages = new Set<unknown>();
  for (const [username, secret] of [
    ['admin', 'wrong password!'],
    ['nobody', adminPassword],
    ['admin', ''],
    ['', ''],
    ['x'.repeat(8_000), 'y'.repeat(8_000)],
  ]) {
    const { status, body, headers } = await call(
      'POST',
      '/auth/login',
      { username, password: secret },
      { authorization: '' },
    );
    assert.equal(status, 401);
    assert.ok(headers.has('www-authenticate'));
    messages.add(body.error);
  }
  assert.equal(messages.size, 1, 'one message, whatever was wrong');

  assert.equal((await call('POST', '/auth/logout')).status, 204);
  assert.equal((await call('GET', '/auth/me')).status, 401);
  assert.equal((await app.api('GET', '/auth/me')).status, 200, 'another token of the same user goes on');
});

forAnyDatabase('a token that was logged out stays out after a restart', async (t, _open, database) => {
  // The same key, so that nothing but the revocation can refuse the token.
  const settings = { TILTH_JWT_SECRET: 'one secret for both of these starts' };
  const first = await start(t, database, settings);
  const { token } = first;
  assert.equal((await first.api('POST', '/auth/logout')).status, 204);
  await first.close();
  const second = await start(t, database, settings);
  const old = callerOf(second, { authorization: `Bearer ${token}` });
  assert.equal((await old('GET', '/auth/me')).status, 401);
  assert.equal((await second.api('GET', '/auth/me')).status, 200);
});

forAnyDatabase('the web session: cookies, their CSRF companion, and their end', async (t, _open, database) => {
  const app = await start(t, database);
  const login = await app.api('POST', '/auth/login', { username: 'admin', password: adminPassword, cookie: true });
  const cookies = login.headers.getSetCookie();
  const [session = '', csrf = ''] = cookies.map((cookie) => cookie.split(';', 1)[0] ?? '');
  assert.match(cookies[0] ?? '', /^tilth_session=[^;]+; HttpOnly; Path=\/; SameSite=Strict; Max-Age=3600$/);
  assert.match(cookies[1] ?? '', /^tilth_csrf=[^;]+; Path=\/; SameSite=Strict; Max-Age=3600$/, 'for scripts to read');

  const browser = callerOf(app, { cookie: `${session}; ${csrf}` });
  const csrfHeader = { 'x-csrf-token': csrf.slice('tilth_csrf='.length) };
  const body = { name: 'from the browser' };
  assert.equal((await browser('GET', '/auth/me')).status, 200);
  assert.equal((await browser('POST', '/auth/api-keys', body)).status, 403);
  assert.equal((await browser('POST', '/auth/api-keys', body, { 'x-csrf-token': 'guess' })).status, 403);
  assert.equal((await browser('POST', '/auth/api-keys', body, csrfHeader)).status, 201);
  const ended = await browser('POST', '/auth/logout', undefined, csrfHeader);
  assert.equal(ended.status, 204);
  assert.deepEqual(
    ended.headers.getSetCookie().map((cookie) => /^(\w+)=;.*Max-Age=0$/.exec(cookie)?.[1]),
    ['tilth_session', 'tilth_csrf'],
  );
  assert.equal((await browser('GET', '/auth/me')).status, 401);
});

forAnyDatabase(
  'a new password ends older tokens; its length is bounded; the old one must be right',
  async (t, _open, database) => {
    const app = await start(t, database);
    const { call } = await newUser(app, 'vera', 'VIEWER');
    const change = (currentPassword: unknown, newPassword: unknown) =>
      call('PUT', '/auth/me/password', { currentPassword, newPassword });
    for (const bad of ['x'.repeat(11), 'x'.repeat(129), '🔑'.repeat(11)]) {
      const { status, body } = await change(password, bad);
      assert.equal(status, 400);
      assert.match(String(body.error), /^newPassword must have at (?:least 12|most 128) characters$/);
    }
    const wrong = await change('not the password', 'x'.repeat(12));
    assert.deepEqual([wrong.status, wrong.body.error], [400, 'currentPassword is wrong']);
    assert.equal((await change(password, '🔑'.repeat(12))).status, 204);
    assert.equal((await call('GET', '/auth/me')).status, 401);
    await signIn(app, 'vera', '🔑'.repeat(12));
  },
);

forAnyDatabase('users: create, list, change, remove', async (t, _open, database) => {
  const app = await start(t, database);
  const { id } = await newUser(app, 'Zoë', 'VIEWER');
  for (const username of ['Zoë', 'zoë', 'ZOË', ' zoë '])
    assert.equal((await app.api('POST', '/auth/users', { username, password, role: 'VIEWER' })).status, 409, username);
  for (const username of ['', ' ', '.x', 'a b', 'a/b', '<b>', 'x'.repeat(65), 'a\nb']) {
    const { status, body } = await app.api('POST', '/auth/users', { username, password, role: 'VIEWER' });
    assert.deepEqual([status, String(body.error).startsWith('username ')], [400, true], username);
  }
  for (const wrong of [
    { password: 'short' },
    { password: null },
    { role: 'ROOT' },
    { role: 'admin' },
    { role: undefined },
  ]) {
    const { status, body } = await app.api('POST', '/auth/users', {
      username: 'new',
      password,
      role: 'VIEWER',
      ...wrong,
    });
    assert.deepEqual([status, String(body.error).startsWith(Object.keys(wrong)[0] ?? '')], [400, true]);
  }
  const listed = await app.api<Record<string, unknown>[]>('GET', '/auth/users');
  assert.deepEqual(
    listed.body.map(({ username, role }) => [username, role]),
    [
      ['admin', 'ADMIN'],
      ['Zoë', 'VIEWER'],
    ],
  );
  assert.deepEqual(Object.keys(listed.body[0] ?? {}), ['id', 'username', 'role', 'createdAt', 'updatedAt']);

  const renamed = await app.api('PUT', `/auth/users/${id}`, { username: 'zoë', role: 'EDITOR' });
  assert.deepEqual([renamed.status, renamed.body.username, renamed.body.role], [200, 'zoë', 'EDITOR']);
  assert.equal((await app.api('PUT', `/auth/users/${id}`, { username: 'Admin' })).status, 409);
  assert.equal((await app.api('PUT', '/auth/users/unknown', { role: 'EDITOR' })).status, 404);
  assert.equal((await app.api('DELETE', `/auth/users/${id}`)).status, 204);
  assert.equal((await app.api('DELETE', `/auth/users/${id}`)).status, 404);
});

forEachDatabase('two users of one name at the same time: one is created', async (t, _open, database) => {
  const app = await start(t, database);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => app.api('POST', '/auth/users', { username: 'twin', password, role: 'VIEWER' })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [201, 409, 409, 409, 409, 409],
  );
});

forEachDatabase('the last ADMIN stays, also when two go at once', async (t, _open, database) => {
  const app = await start(t, database);
  const me = await app.api<{ id: string }>('GET', '/auth/me');
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PUT', { role: 'EDITOR' }],
  ] as const) {
    const answer = await app.api(method, `/auth/users/${me.body.id}`, body);
    assert.deepEqual(
      [answer.status, answer.body.error],
      [409, 'The last ADMIN cannot be removed or given another role; make another user ADMIN first'],
    );
  }
  assert.equal((await app.api('PUT', `/auth/users/${me.body.id}`, { role: 'ADMIN' })).status, 200);
  const second = await newUser(app, 'second', 'ADMIN');
  const answers = await Promise.all([
    app.api('PUT', `/auth/users/${me.body.id}`, { role: 'VIEWER' }),
    second.call('DELETE', `/auth/users/${second.id}`),
  ]);
  assert.equal(answers.filter(({ status }) => status >= 400).length, 1);
});

forEachDatabase('of two changes that could take the last ADMIN, one waits for the other', async (t, open, database) => {
  // Creates the first ADMIN.
  await start(t, database);
  const db = await open();
  const ended: string[] = [];
  let other: Promise<unknown> = Promise.resolve();
  await db.write(async (tx) => {
    await lockAdmins(tx);
    other = db.write((beside) => lockAdmins(beside)).then(() => ended.push('second'));
    // PostgreSQL shows who waits; SQLite has one writer, and begins no other transaction meanwhile.
    await until(async () => ended.length > 0 || db.dialect === 'sqlite' || (await countLockWaiters(db)) > 0);
    ended.push('first');
  });
  await other;
  assert.deepEqual(ended, ['first', 'second']);
});

async function countLockWaiters({ read }: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select cast(count(*) as integer) as count from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`.execute(read);
  return rows[0]?.count ?? 0;
}

forAnyDatabase('a change of a user counts at once for tokens and keys', async (t, _open, database) => {
  const app = await start(t, database);
  const { id, call, token } = await newUser(app, 'erin', 'EDITOR');
  const made = await call('POST', '/auth/api-keys', { name: 'script' });
  const byKey = callerOf(app, { 'x-api-key': String(made.body.key) });
  assert.equal((await byKey('GET', '/auth/me')).body.role, 'EDITOR');
  await app.api('PUT', `/auth/users/${id}`, { role: 'VIEWER' });
  for (const caller of [call, byKey])
    assert.equal((await caller('GET', '/auth/me')).body.role, 'VIEWER', "a key's role follows");
  await app.api('PUT', `/auth/users/${id}`, { password: 'another long password' });
  assert.equal((await call('GET', '/auth/me')).status, 401, 'a reset password ends tokens');
  assert.equal((await byKey('GET', '/auth/me')).status, 200);
  await app.api('DELETE', `/auth/users/${id}`);
  assert.equal((await byKey('GET', '/auth/me')).status, 401);
  assert.equal((await app.api('GET', '/auth/me', undefined, { authorization: `Bearer ${token}` })).status, 401);
});

forAnyDatabase('API keys', async (t, open, database) => {
  const app = await start(t, database);
  const { call } = await newUser(app, 'erin', 'EDITOR');
  const made = await call('POST', '/auth/api-keys', {
    name: ' nightly ',
    role: 'VIEWER',
    expiresAt: '2999-01-01T00:00:00+01:00',
  });
  assert.equal(made.status, 201);
  assert.deepEqual(Object.keys(made.body), ['id', 'name', 'prefix', 'role', 'expiresAt', 'createdAt', 'key']);
  const key = String(made.body.key);
  assert.deepEqual([made.body.name, made.body.expiresAt], ['nightly', '2998-12-31T23:00:00.000Z']);
  assert.ok(key.startsWith(String(made.body.prefix)) && key.length > 40);

  const listed = await call<Record<string, unknown>[]>('GET', '/auth/api-keys');
  const { key: shownOnce, ...rest } = made.body;
  assert.equal(shownOnce, key);
  assert.deepEqual(listed.body, [rest]);
  const db = await open();
  const stored = await db.read.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow();
  assert.equal(JSON.stringify(stored).includes(key), false, 'only a hash is stored');
  assert.equal((await app.api<unknown[]>('GET', '/auth/api-keys')).body.length, 0, 'own keys only');
  assert.equal((await app.api('DELETE', `/auth/api-keys/${String(made.body.id)}`)).status, 404, "another one's key");

  const byKey = callerOf(app, { 'x-api-key': key });
  assert.equal((await byKey('GET', '/auth/me')).body.role, 'VIEWER');
  const child = await byKey('POST', '/auth/api-keys', { name: 'stronger', role: 'EDITOR' });
  assert.deepEqual([child.status, child.body.error], [400, 'role must not exceed your own role VIEWER']);
  const equal = await byKey('POST', '/auth/api-keys', { name: 'as strong' });
  assert.equal(equal.body.role, 'VIEWER', 'a key without a role gets that of the key that makes it');
  assert.equal((await call('POST', '/auth/api-keys', { name: 'x', role: 'ADMIN' })).status, 400);
  assert.equal((await byKey('POST', '/auth/logout')).status, 400, 'a key is not a session');

  for (const [wrong, field] of [
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{}, 'name'],
    [{ name: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ name: 'x', expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt'],
    [{ name: 'x', expiresAt: '2999-01-01' }, 'expiresAt'],
    [{ name: 'x', expiresAt: '2999-02-30T00:00:00Z' }, 'expiresAt'],
    [{ name: 'x', role: null }, 'role'],
  ] as const) {
    const { status, body } = await call('POST', '/auth/api-keys', wrong);
    assert.deepEqual([status, String(body.error).split(' ', 1)[0]], [400, field]);
  }

  assert.equal((await call('DELETE', `/auth/api-keys/${String(made.body.id)}`)).status, 204);
  assert.equal((await byKey('GET', '/auth/me')).status, 401, 'a deleted key ends at once');
});
