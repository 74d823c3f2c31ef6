import { createHmac } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';

const issuer = 'tilth';
const audience = 'tilth-api';
/** Our tokens have about 300 characters. */
const maxTokenLength = 2048;

export type TokenClaims = { userId: string; jti: string; generation: number; expiresAtMs: number };

/** Issues and verifies JSON web tokens (RFC 7519) signed with HS256. */
export type Tokens = {
  issue(user: { id: string; token_generation: number }): Promise<string>;
  /** The claims of a valid, unexpired token of ours; the caller checks whether it was revoked. */
  verify(token: string): Promise<TokenClaims | undefined>;
  /**
   * A value derived from the token, with which a page proves that it can read the companion of the cookie. The value of another
   * session doesn't match.
   */
  csrfToken(token: string): string;
};

export function createTokens(options: { key: Uint8Array; ttlSeconds: number; clock: Clock }): Tokens {
  const { key, ttlSeconds, clock } = options;
  return {
    async issue(user) {
      const now = Math.floor(clock.now().getTime() / 1000);
      return new SignJWT({ gen: user.token_generation })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(user.id)
        .setJti(newId())
        .setIssuedAt(now)
        .setExpirationTime(now + ttlSeconds)
        .sign(key);
    },
    async verify(token) {
      if (token.length > maxTokenLength || !isCanonical(token)) return undefined;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          issuer,
          audience,
          requiredClaims: ['exp', 'sub', 'jti', 'gen'],
          currentDate: clock.now(),
        });
        const { sub, jti, exp, gen } = payload;
        if (sub === undefined || jti === undefined || exp === undefined || typeof gen !== 'number') return undefined;
        return { userId: sub, jti, generation: gen, expiresAtMs: exp * 1000 };
      } catch {
        // Every invalid token gets the same answer.
        return undefined;
      }
    },
    csrfToken(token) {
      return createHmac('sha256', key).update('csrf\0').update(token).digest('base64url');
    },
  };
}

/**
 * Whether each part is the canonical base64url text of its bytes. The last character of a signature has spare bits that decoding
 * ignores: tokens that differ only there would all be valid, but only one of them could be revoked or cached.
 */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}
