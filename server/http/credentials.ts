import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../kernel/principal.ts';

/** Prefix of every API key, and of no token. */
export const apiKeyPrefix = 'tilth_';
export const sessionCookieName = 'tilth_session';
export const csrfCookieName = 'tilth_csrf';
export const csrfHeaderName = 'x-csrf-token';

/** The credential of a request. */
export type Credential = { via: Principal['via']; secret: string };

/** Finds the user of a credential. */
export type Authenticator = {
  /** The user of a cached credential that is still valid; undefined if it is not cached. Synchronous. */
  recall(credential: Credential): Principal | undefined;
  /** Verifies and caches a credential; undefined if it is not valid. */
  verify(credential: Credential): Promise<Principal | undefined>;
  /** The value that a write by cookie must carry in its CSRF header. */
  csrfToken(secret: string): string;
};

/**
 * The credential to use: an Authorization header before an API key before the cookie. An Authorization header that is
 * not a bearer token is an invalid credential, not a missing one. An API key may be the bearer token: many clients know no other
 * header.
 */
export function readCredential(headers: IncomingHttpHeaders): Credential | undefined {
  const authorization = headers.authorization;
  if (authorization !== undefined) {
    const secret = bearerToken(authorization);
    return { via: secret.startsWith(apiKeyPrefix) ? 'api-key' : 'token', secret };
  }
  const apiKey = headers['x-api-key'];
  if (typeof apiKey === 'string') return { via: 'api-key', secret: apiKey };
  const cookie = headers.cookie === undefined ? undefined : readCookie(headers.cookie, sessionCookieName);
  return cookie === undefined ? undefined : { via: 'cookie', secret: cookie };
}

function bearerToken(authorization: string): string {
  const scheme = authorization.slice(0, 7);
  return scheme === 'Bearer ' || scheme.toLowerCase() === 'bearer ' ? authorization.slice(7).trim() : '';
}

/** The value of one cookie of a Cookie header. */
export function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
