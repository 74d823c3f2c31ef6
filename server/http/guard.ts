import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors, type AppError } from '../kernel/errors.ts';
import { includesRole, type Principal, type Role } from '../kernel/principal.ts';
import type { RateLimits, RateState } from '../kernel/rate-limits.ts';
import { addressKey } from './client-address.ts';
import { csrfHeaderName, readCredential, type Authenticator, type Credential } from './credentials.ts';
import type { Access } from './routes.ts';

/** The caller and its rate limits; set on each API request by the guard. */
export type Caller = { key: string; limits: RateLimits; principal: Principal | undefined };

export type GuardParts = {
  authenticator: Authenticator;
  /** Limits of tokens, API keys and addresses. */
  limits: RateLimits;
  /** Limits of the web application's cookie. */
  cookieLimits: RateLimits;
};

export type GuardRule = { access: Access; deferred: boolean };

/** Rate limit headers. */
export const rateHeaders = {
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  resetAt: 'x-ratelimit-reset',
} as const;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** The reply, where the handler decides whether the call counts. */
    deferredReply: FastifyReply | null;
  }
}

/**
 * Checks a call in the order of the contract: rate limit, credential (401), role (403); `done` receives the failure. A cached
 * credential is checked synchronously; only a new one makes the call wait.
 */
export function guard(
  { authenticator, limits, cookieLimits }: GuardParts,
  { access, deferred }: GuardRule,
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const credential = access === 'PUBLIC' ? undefined : readCredential(request.raw.headers);
  if (credential === undefined) {
    done(admit(undefined));
    return;
  }
  const known = authenticator.recall(credential);
  if (known !== undefined) {
    done(admit(known));
    return;
  }
  authenticator.verify(credential).then((principal) => done(admit(principal)), done);

  function admit(principal: Principal | undefined): AppError | undefined {
    const caller: Caller =
      principal === undefined
        ? { key: addressKey(request.ip), limits, principal }
        : { key: principal.credentialId, limits: principal.via === 'cookie' ? cookieLimits : limits, principal };
    request.caller = caller;
    const refusal = count(caller, deferred && principal !== undefined, reply);
    if (refusal !== undefined) return refusal;
    if (access === 'PUBLIC') return undefined;
    if (principal === undefined) return unauthenticated(credential);
    if (!includesRole(principal.role, access))
      return errors.FORBIDDEN({ needed: `the role ${access}; ask an administrator for it` });
    if (principal.via === 'cookie' && isWrite(request.method) && !hasCsrfToken(request, credential))
      return errors.FORBIDDEN({ needed: `the header ${csrfHeaderName} beside the session cookie` });
    return undefined;
  }

  function hasCsrfToken(request: FastifyRequest, credential: Credential | undefined): boolean {
    const header = request.raw.headers[csrfHeaderName];
    if (typeof header !== 'string' || credential === undefined) return false;
    const given = Buffer.from(header);
    const expected = Buffer.from(authenticator.csrfToken(credential.secret));
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

/** An admitted call, with its rate limit headers. */
export type Admitted = { principal: Principal; rate: RateState | undefined };

/**
 * The same decision for a deferred call, if it can be made synchronously and admits the call: a cached token or API key
 * whose role is sufficient. Undefined for any other call, without any effect: `guard` then decides.
 */
export function admitAtOnce(
  { authenticator, limits }: Pick<GuardParts, 'authenticator' | 'limits'>,
  access: Role,
  headers: IncomingHttpHeaders,
): Admitted | undefined {
  const credential = readCredential(headers);
  if (credential === undefined || credential.via === 'cookie') return undefined;
  const principal = authenticator.recall(credential);
  if (principal === undefined || !includesRole(principal.role, access)) return undefined;
  return { principal, rate: limits.peek(principal.credentialId) };
}

/** Counts a call (or only reads the state, if the handler counts it) and sets the headers; returns the error if no call is left. */
function count(caller: Caller, peekOnly: boolean, reply: FastifyReply): AppError | undefined {
  const state = peekOnly ? caller.limits.peek(caller.key) : caller.limits.take(caller.key);
  if (state === undefined) return undefined;
  setRateHeaders(reply, state);
  return state.allowed || peekOnly ? undefined : rateLimitExceeded(state);
}

/** Implements `request.chargeRateLimit()`: counts a deferred call, or throws. */
export function chargeRateLimit(caller: Caller | null, reply: FastifyReply): void {
  if (caller === null) throw new Error('Only calls of the API are counted');
  const refusal = count(caller, false, reply);
  if (refusal !== undefined) throw refusal;
}

function setRateHeaders(reply: FastifyReply, state: RateState): void {
  reply.header(rateHeaders.limit, state.limit);
  reply.header(rateHeaders.remaining, state.remaining);
  reply.header(rateHeaders.resetAt, state.resetAt);
}

function rateLimitExceeded(state: RateState): AppError {
  return errors.RATE_LIMIT_EXCEEDED(
    { limit: state.limit, seconds: state.retryAfterSeconds },
    { retryAfterSeconds: state.retryAfterSeconds },
  );
}

/** One message for all invalid credentials, another if there is none. */
function unauthenticated(credential: Credential | undefined): AppError {
  return errors.UNAUTHENTICATED({
    needed:
      credential === undefined ? 'a credential' : 'a valid credential, and this one is unknown, expired or revoked',
  });
}

function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}
