import assert from 'node:assert/strict';
import { forAnyDatabase, forEachDatabase } from '../../../tests/support/databases.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../storage/database/database.ts';
import { createAuth, type Auth } from './auth.ts';

const password = 'a long enough password';
const settings = { signingKey: Buffer.alloc(32, 7), tokenTtlSeconds: 60 };

/** An area whose clocks stand still until they are moved. */
function authAt(db: Database, time: { ms: number }): Auth {
  const clock: Clock = { now: () => new Date(Date.UTC(2026, 0, 1) + time.ms) };
  return createAuth({ db, clock, settings, monotonicMs: () => time.ms });
}

forAnyDatabase('a remembered token ends with its lifetime', async (_t, open) => {
  const time = { ms: 0 };
  const { users, logins, sessions } = authAt(await open(), time);
  await users.create({ username: 'vera', password, role: 'VIEWER' });
  const { token: secret } = await logins.login({ username: 'vera', password }, '192.0.2.1');
  const credential = { via: 'token', secret } as const;
  assert.equal(sessions.recall(credential), undefined);
  assert.equal((await sessions.verify(credential))?.username, 'vera');
  assert.equal(sessions.recall(credential)?.username, 'vera');
  time.ms += 60_000;
  assert.equal(sessions.recall(credential), undefined);
  assert.equal(await sessions.verify(credential), undefined);
});

forAnyDatabase('a token has one spelling', async (_t, open) => {
  const { users, logins, sessions } = authAt(await open(), { ms: 0 });
  await users.create({ username: 'vera', password, role: 'VIEWER' });
  const { token } = await logins.login({ username: 'vera', password }, '192.0.2.1');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(token.at(-1) ?? '');
  // 32 bytes are 42 characters and 4 bits: the last two bits of the 43rd are unused.
  for (const spare of [1, 2, 3]) {
    const secret = token.slice(0, -1) + alphabet[last ^ spare];
    assert.equal(await sessions.verify({ via: 'token', secret }), undefined, secret);
  }
  for (const secret of [`${token}=`, token.replace('.', '.='), ` ${token}`])
    assert.equal(await sessions.verify({ via: 'token', secret }), undefined, secret);
  assert.equal((await sessions.verify({ via: 'token', secret: token }))?.username, 'vera');
});

forAnyDatabase('an expired key is no key', async (_t, open) => {
  const time = { ms: 0 };
  const { users, apiKeys, sessions } = authAt(await open(), time);
  const { id: userId, username, role } = await users.create({ username: 'vera', password, role: 'VIEWER' });
  const by = { userId, username, role, credentialId: 'token:x', via: 'token' } as const;
  const { key } = await apiKeys.create(by, { name: 'short', expiresAt: '2026-01-01T00:00:02Z' });
  const credential = { via: 'api-key', secret: key } as const;
  assert.equal((await sessions.verify(credential))?.role, 'VIEWER');
  time.ms += 2_000;
  assert.equal(sessions.recall(credential), undefined);
  assert.equal(await sessions.verify(credential), undefined);
});

forEachDatabase('what another process changed counts within seconds', async (_t, open) => {
  const time = { ms: 0 };
  const [here, elsewhere] = [authAt(await open(), time), authAt(await open(), time)];
  const { id } = await here.users.create({ username: 'vera', password, role: 'VIEWER' });
  const { token: secret } = await here.logins.login({ username: 'vera', password }, '192.0.2.1');
  const credential = { via: 'token', secret } as const;
  await here.sessions.verify(credential);
  await elsewhere.users.update(id, { password: 'another long password' });
  time.ms += 5_000;
  assert.equal(here.sessions.recall(credential), undefined);
  assert.equal(await here.sessions.verify(credential), undefined);
});

forAnyDatabase('a change during a verification is not forgotten by it', async (_t, open) => {
  const { users, logins, sessions } = authAt(await open(), { ms: 0 });
  const { id } = await users.create({ username: 'vera', password, role: 'EDITOR' });
  const { token: secret } = await logins.login({ username: 'vera', password }, '192.0.2.1');
  const credential = { via: 'token', secret } as const;
  const verification = sessions.verify(credential);
  sessions.forgetUser(id);
  assert.equal((await verification)?.role, 'EDITOR');
  assert.equal(sessions.recall(credential), undefined, 'so the next call looks again');
});

forEachDatabase('revoked tokens are kept until no token can be that old', async (_t, open) => {
  const time = { ms: 0 };
  const db = await open();
  const { users, logins, sessions } = authAt(db, time);
  await users.create({ username: 'vera', password, role: 'VIEWER' });
  const logout = async (): Promise<void> => {
    const { token: secret } = await logins.login({ username: 'vera', password }, '192.0.2.1');
    const principal = await sessions.verify({ via: 'token', secret });
    assert.ok(principal);
    await logins.logout(principal);
    assert.equal(await sessions.verify({ via: 'token', secret }), undefined);
  };
  const count = async () => (await db.read.selectFrom('revoked_tokens').select('jti').execute()).length;
  await logout();
  await logout();
  assert.equal(await count(), 2);
  time.ms += 31 * 24 * 3_600_000;
  await logout();
  assert.equal(await count(), 1);
});
