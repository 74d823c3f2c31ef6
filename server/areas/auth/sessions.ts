import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { includesRole, type Principal, type Role } from '../../kernel/principal.ts';
import type { Database } from '../../storage/database/database.ts';
import { findApiKeyOwner } from './queries/api-keys.ts';
import { deleteExpiredRevocations, insertRevokedToken, isTokenRevoked } from './queries/revoked-tokens.ts';
import { findUser } from './queries/users.ts';
import { noSignals, type Signals } from '../../storage/database/signals.ts';
import type { Tokens } from './tokens.ts';

const maxRemembered = 20_000;

/**
 * The longest token lifetime that can be configured: a revocation outlives every token, whatever the setting was when it was
 * issued.
 */
const maxTokenTtlMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Cached credentials are read again after this time: another process (the command line, a second node whose hint was lost) may
 * have changed them.
 */
const recheckMs = 5_000;

type Session = { principal: Principal; expiresAtMs: number };
type RememberedSession = Session & { checkedAtMs: number };

type Credential = { via: Principal['via']; secret: string };

/**
 * Verifies credentials. A verified one is cached until it expires, is revoked, or its user changes, and for a few seconds at
 * most: verifying costs a signature and a read, the cache a map lookup. Changes in this process take effect at once.
 */
export type Sessions = {
  recall(credential: Credential): Principal | undefined;
  verify(credential: Credential): Promise<Principal | undefined>;
  csrfToken(secret: string): string;
  /** Revokes a token for good. */
  revoke(principal: Principal): Promise<void>;
  /** Evicts a user's cached credentials; call it after every change of the user. */
  forgetUser(userId: string): void;
  forgetApiKey(id: string): void;
};

export function createSessions(options: {
  db: Database;
  clock: Clock;
  tokens: Tokens;
  /** Monotonic milliseconds. */
  monotonicMs: () => number;
  signals?: Signals;
}): Sessions {
  const { db, clock, tokens, monotonicMs, signals = noSignals } = options;
  const remembered: Record<Principal['via'], Map<string, RememberedSession>> = {
    token: new Map(),
    cookie: new Map(),
    'api-key': new Map(),
  };
  /** Incremented with every change, so that a verification that began before the change isn't cached after it. */
  let changes = 0;

  async function verifyToken(via: 'token' | 'cookie', secret: string): Promise<Session | undefined> {
    const claims = await tokens.verify(secret);
    if (claims === undefined) return undefined;
    const [user, revoked] = await Promise.all([findUser(db.read, claims.userId), isTokenRevoked(db.read, claims.jti)]);
    if (user === undefined || revoked || user.token_generation !== claims.generation) return undefined;
    const { id: userId, username, role } = user;
    return {
      principal: { userId, username, role, credentialId: `${via}:${claims.jti}`, via },
      expiresAtMs: claims.expiresAtMs,
    };
  }

  async function verifyApiKey(secret: string): Promise<Session | undefined> {
    const owner = await findApiKeyOwner(db.read, hashApiKey(secret));
    if (owner === undefined) return undefined;
    const expiresAtMs = owner.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(owner.expires_at);
    if (expiresAtMs <= clock.now().getTime()) return undefined;
    return {
      principal: {
        userId: owner.user_id,
        username: owner.username,
        role: weakerRole(owner.role ?? owner.user_role, owner.user_role),
        credentialId: `api-key:${owner.id}`,
        via: 'api-key',
      },
      expiresAtMs,
    };
  }

  function remember({ via, secret }: Credential, session: Session): void {
    const sessions = remembered[via];
    const oldest = sessions.size >= maxRemembered ? sessions.keys().next().value : undefined;
    if (oldest !== undefined) sessions.delete(oldest);
    sessions.set(secret, { ...session, checkedAtMs: monotonicMs() });
  }

  function forget(matches: (principal: Principal) => boolean): void {
    changes++;
    for (const sessions of Object.values(remembered))
      for (const [secret, { principal }] of sessions) if (matches(principal)) sessions.delete(secret);
  }

  const forgetters = {
    'user-changed': (userId: string) => forget((principal) => principal.userId === userId),
    'key-removed': (id: string) => forget(({ credentialId }) => credentialId === `api-key:${id}`),
    'token-revoked': (jti: string) =>
      forget(({ via, credentialId }) => via !== 'api-key' && credentialId.endsWith(`:${jti}`)),
  };
  for (const topic of ['user-changed', 'key-removed', 'token-revoked'] as const) signals.on(topic, forgetters[topic]);

  /** Forgets at once here, and soon on other nodes. */
  function forgetEverywhere(topic: keyof typeof forgetters, key: string): void {
    forgetters[topic](key);
    signals.send(topic, key);
  }

  return {
    recall({ via, secret }) {
      const session = remembered[via].get(secret);
      if (session === undefined) return undefined;
      if (session.expiresAtMs > clock.now().getTime() && monotonicMs() - session.checkedAtMs < recheckMs)
        return session.principal;
      remembered[via].delete(secret);
      return undefined;
    },
    async verify(credential) {
      const before = changes;
      const { via, secret } = credential;
      const session = via === 'api-key' ? await verifyApiKey(secret) : await verifyToken(via, secret);
      if (session !== undefined && before === changes) remember(credential, session);
      return session?.principal;
    },
    csrfToken: (secret) => tokens.csrfToken(secret),
    async revoke(principal) {
      const now = clock.now().getTime();
      const jti = jtiOf(principal);
      await db.write(async (tx) => {
        await deleteExpiredRevocations(tx, new Date(now).toISOString());
        await insertRevokedToken(tx, { jti, expires_at: new Date(now + maxTokenTtlMs).toISOString() });
      });
      forgetEverywhere('token-revoked', jti);
    },
    forgetUser: (userId) => forgetEverywhere('user-changed', userId),
    forgetApiKey: (id) => forgetEverywhere('key-removed', id),
  };
}

/** The stored form of an API key: it has 256 random bits, so a plain hash can't be reversed by guessing. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function weakerRole(one: Role, other: Role): Role {
  return includesRole(one, other) ? other : one;
}

function jtiOf({ credentialId }: Principal): string {
  return credentialId.slice(credentialId.indexOf(':') + 1);
}
