import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../storage/database/database.ts';
import { noSignals, type Signals } from '../../storage/database/signals.ts';
import { createApiKeys, type ApiKeys } from './api-keys.ts';
import { createLogins, type Logins } from './logins.ts';
import { createPasswordHashing } from './passwords.ts';
import { createLoginThrottle, createOwnFailures } from './login-throttle.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createSharedFailures } from './shared-login-failures.ts';
import { createTokens } from './tokens.ts';
import { createUsers, type Users } from './users.ts';

export type AuthSettings = {
  /** Signs tokens; at least 32 bytes. */
  signingKey: Uint8Array;
  tokenTtlSeconds: number;
};

export type Auth = { users: Users; apiKeys: ApiKeys; logins: Logins; sessions: Sessions };

/** Assembles this area. `monotonicMs` is the clock for failed logins; it never jumps. */
export function createAuth(options: {
  db: Database;
  clock: Clock;
  settings: AuthSettings;
  monotonicMs?: () => number;
  /** Notifies other processes of changes, which they would otherwise see a few seconds later. */
  signals?: Signals;
}): Auth {
  const { db, clock, settings, monotonicMs = () => performance.now(), signals = noSignals } = options;
  const { tokenTtlSeconds } = settings;
  const tokens = createTokens({ key: settings.signingKey, ttlSeconds: tokenTtlSeconds, clock });
  const sessions = createSessions({ db, clock, tokens, monotonicMs, signals });
  const passwords = createPasswordHashing();
  const throttle = createLoginThrottle(
    db.dialect === 'postgres'
      ? createSharedFailures({ db })
      : createOwnFailures({ monotonicMs, wallMs: () => clock.now().getTime() }),
  );
  return {
    sessions,
    users: createUsers({ db, clock, passwords, onChange: (userId) => sessions.forgetUser(userId) }),
    apiKeys: createApiKeys({ db, clock, onRemove: (id) => sessions.forgetApiKey(id) }),
    logins: createLogins({ db, clock, passwords, tokens, sessions, throttle, tokenTtlSeconds }),
  };
}
