// A server with made-up areas and credentials.
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Type } from '@fastify/type-provider-typebox';
import { pino } from 'pino';
import { systemClock } from '../../server/kernel/clock.ts';
import { defineErrors, errors } from '../../server/kernel/errors.ts';
import type { Principal, Role } from '../../server/kernel/principal.ts';
import { createRateLimits } from '../../server/kernel/rate-limits.ts';
import type { Authenticator, Credential } from '../../server/http/credentials.ts';
import { createMetrics } from '../../server/http/metrics.ts';
import type { AreaRoutes } from '../../server/http/routes.ts';
import { IdSchema, named, NoContent } from '../../server/http/schemas.ts';
import { createHttpServer, type HttpServer } from '../../server/http/server.ts';

const roles: Readonly<Record<string, Role>> = { viewer: 'VIEWER', editor: 'EDITOR', admin: 'ADMIN' };

/** Accepts three secrets, one per role; `verified` counts slow verifications. */
function fakeAuthenticator(): Authenticator & { verified: number } {
  const seen = new Set<string>();
  const principalOf = ({ via, secret }: Credential): Principal | undefined => {
    const role = roles[secret];
    return role && { userId: secret, username: secret, role, credentialId: `${via}:${secret}`, via };
  };
  return {
    verified: 0,
    recall: (credential) => (seen.has(credential.secret) ? principalOf(credential) : undefined),
    async verify(credential) {
      this.verified++;
      if (principalOf(credential) !== undefined) seen.add(credential.secret);
      return principalOf(credential);
    },
    csrfToken: (secret) => `csrf of ${secret}`,
  };
}

const areaErrors = defineErrors('server test', {
  THING_NOT_FOUND: ['not-found', 'Thing {id} does not exist'],
  THING_BUSY: ['conflict', 'Thing {id} is busy'],
});

const Thing = named('Thing', Type.Object({ id: Type.String(), name: Type.String() }));

const things: AreaRoutes = (app) => {
  app.get(
    '/things/:thingId',
    { config: { access: 'VIEWER' }, schema: { params: Type.Object({ thingId: IdSchema }), response: { 200: Thing } } },
    async ({ params: { thingId: id } }) => {
      if (id === 'gone') throw areaErrors.THING_NOT_FOUND({ id });
      if (id === 'busy') throw areaErrors.THING_BUSY({ id });
      if (id === 'broken') throw new TypeError('select * from secrets in /srv/data');
      if (id === 'full')
        throw new Error('write failed', { cause: Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }) });
      return { id, name: 'a thing', secret: 'not in the schema' };
    },
  );
  app.post(
    '/things',
    { config: { access: 'EDITOR' }, schema: { body: Type.Object({ name: Type.String() }), response: { 201: Thing } } },
    async (request) => ({ id: request.principal.userId, name: request.body.name }),
  );
  app.delete(
    '/things/:thingId',
    {
      config: { access: 'ADMIN' },
      schema: { params: Type.Object({ thingId: IdSchema }), response: { 204: NoContent } },
    },
    async () => null,
  );
  app.post('/streams', { config: { access: 'EDITOR', body: 'stream' } }, async (request) => {
    let bytes = 0;
    for await (const part of request.raw as AsyncIterable<Buffer>) bytes += part.length;
    return { bytes };
  });
  app.post('/deferred', { config: { access: 'EDITOR', rateLimit: 'deferred' } }, async (request) => {
    if (request.headers['x-charge'] === 'yes') request.chargeRateLimit();
    return { charged: request.headers['x-charge'] === 'yes' };
  });
  app.get('/open', { config: { access: 'PUBLIC' } }, async () => ({ open: true }));
};

type Started = HttpServer & {
  url: string;
  lines: Record<string, unknown>[];
  authenticator: Authenticator & { verified: number };
};

/** Starts a server whose areas have the same routes, one of them with the envelope. */
export async function startHttpService(
  t: TestContext,
  limits: { perMinute?: number; cookiePerMinute?: number } = {},
  register: (server: HttpServer) => void = () => {},
): Promise<Started> {
  const times = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };
  const lines: Record<string, unknown>[] = [];
  const authenticator = fakeAuthenticator();
  const server = createHttpServer({
    authenticator,
    limits: createRateLimits({ windows: [{ limit: limits.perMinute ?? 0, spanMs: 60_000 }], ...times }),
    cookieLimits: createRateLimits({ windows: [{ limit: limits.cookiePerMinute ?? 0, spanMs: 60_000 }], ...times }),
    metrics: createMetrics(),
    logger: pino(
      { base: null },
      { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    ),
    clock: systemClock,
    translateError: (error) =>
      error instanceof Error && (error.cause as { code?: string } | undefined)?.code === 'ENOSPC'
        ? errors.INSUFFICIENT_STORAGE()
        : undefined,
  });
  server.addArea('/data-management', things);
  server.addArea('/other', things, { envelope: true });
  server.app.get('/page', { config: { access: 'PUBLIC' } }, async () => 'hello');
  register(server);
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => server.close(100));
  return {
    ...server,
    url: `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`,
    lines,
    authenticator,
  };
}

/** Headers of a caller: `viewer`, `editor` and `admin` are the secrets of their roles. */
export const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
export const json = { 'content-type': 'application/json' };
export const dataManagement = '/api/v1/data-management';
export const otherArea = '/api/v1/other';
