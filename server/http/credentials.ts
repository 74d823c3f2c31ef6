import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../kernel/principal.ts';

export const sessionCookieName = 'tilth_session';
export const csrfCookieName = 'tilth_csrf';
export const csrfHeaderName = 'x-csrf-token';

/** What a request shows to say who calls. */
export type Credential = { via: Principal['via']; secret: string };

/** Knows who stands behind a credential. */
export type Authenticator = {
  /** A credential that was verified before and is still good, without waiting. */
  recall(credential: Credential): Principal | undefined;
  /** Verifies and remembers; undefined when it is no good. */
  verify(credential: Credential): Promise<Principal | undefined>;
  /** The value that a write by cookie must carry in its CSRF header. */
  csrfToken(secret: string): string;
};

/**
 * The credential that decides: an Authorization header before an API key before the cookie. An Authorization header that is
 * no bearer token is a bad credential, not a missing one.
 */
export function readCredential(headers: IncomingHttpHeaders): Credential | undefined {
  const authorization = headers.authorization;
  if (authorization !== undefined) return { via: 'token', secret: bearerToken(authorization) };
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
