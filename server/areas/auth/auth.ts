import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../storage/database/database.ts';
import { createApiKeys, type ApiKeys } from './api-keys.ts';
import { createLogins, type Logins } from './logins.ts';
import { createLoginThrottle } from './login-throttle.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createTokens } from './tokens.ts';
import { createUsers, type Users } from './users.ts';

export type AuthSettings = {
  /** Signs tokens; at least 32 bytes. */
  signingKey: Uint8Array;
  tokenTtlSeconds: number;
};

export type Auth = { users: Users; apiKeys: ApiKeys; logins: Logins; sessions: Sessions };

/** Assembles this area. `monotonicMs` never jumps: failed logins are counted by it. */
export function createAuth(options: {
  db: Database;
  clock: Clock;
  settings: AuthSettings;
  monotonicMs?: () => number;
}): Auth {
  const { db, clock, settings, monotonicMs = () => performance.now() } = options;
  const { tokenTtlSeconds } = settings;
  const tokens = createTokens({ key: settings.signingKey, ttlSeconds: tokenTtlSeconds, clock });
  const sessions = createSessions({ db, clock, tokens, monotonicMs });
  const throttle = createLoginThrottle({ monotonicMs, wallMs: () => clock.now().getTime() });
  return {
    sessions,
    users: createUsers({ db, clock, onChange: (userId) => sessions.forgetUser(userId) }),
    apiKeys: createApiKeys({ db, clock, onRemove: (id) => sessions.forgetApiKey(id) }),
    logins: createLogins({ db, clock, tokens, sessions, throttle, tokenTtlSeconds }),
  };
}
