import type { FastifyReply, FastifyRequest } from 'fastify';
import { csrfCookieName, sessionCookieName } from './credentials.ts';

/**
 * Sets the cookies of a web session: the token, which no script can read, and its CSRF companion, which the web application
 * reads and sends back in the header `X-CSRF-Token` with every write.
 */
export function setSessionCookies(
  request: FastifyRequest,
  reply: FastifyReply,
  session: { token: string; csrfToken: string; expiresIn: number },
): void {
  setCookies(request, reply, session.token, session.csrfToken, session.expiresIn);
}

/** Removes the cookies of a web session. */
export function clearSessionCookies(request: FastifyRequest, reply: FastifyReply): void {
  setCookies(request, reply, '', '', 0);
}

function setCookies(request: FastifyRequest, reply: FastifyReply, token: string, csrf: string, maxAge: number): void {
  const attributes = `Path=${request.server.basePath || '/'}; SameSite=Strict; Max-Age=${maxAge}${request.protocol === 'https' ? '; Secure' : ''}`;
  reply.header('set-cookie', [
    `${sessionCookieName}=${token}; HttpOnly; ${attributes}`,
    `${csrfCookieName}=${csrf}; ${attributes}`,
  ]);
}
