import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Area } from './area.ts';
import type { Auth } from './areas/auth/index.ts';
import type { DataManagement } from './areas/data-management/index.ts';
import type { Config } from './config.ts';
import type { Foundation } from './foundation.ts';
import { addDocsPage } from './http/docs-page.ts';
import { addHealthRoutes } from './http/health.ts';
import { addDiskMetrics } from './http/disk-metrics.ts';
import { createMetrics } from './http/metrics.ts';
import { addOpenApi } from './http/openapi.ts';
import type { AreaApp } from './http/routes.ts';
import { createHttpServer, type HttpServer } from './http/server.ts';
import type { Clock } from './kernel/clock.ts';
import { createRateLimits } from './kernel/rate-limits.ts';
import type { Lifetime } from './kernel/lifetime.ts';
import type { Nodes } from './nodes/index.ts';
import type { Secrets } from './secrets/index.ts';
import { translateStorageError } from './storage/blobs/index.ts';
import { freeingSpace, type DiskSpace } from './storage/disk-space/index.ts';

/** Folder of the built web application in a checkout. */
const webFolder = fileURLToPath(new URL('../web/dist', import.meta.url));

/** The server of the API and the web application, with all routes; it does not listen yet. */
export async function createWebServer(
  config: Config,
  parts: {
    version: string;
    lifetime: Lifetime;
    /** Calls still in flight after this time are aborted. */
    graceMs: number;
    logger: Logger;
    clock: Clock;
    nodes: Pick<Nodes, 'shareOf' | 'serve'>;
    auth: Auth;
    areas: readonly Area[];
    space: Pick<DiskSpace, 'measure'>;
    secrets: Pick<Secrets, 'findKeyProblem'>;
    checkStorage: Foundation['checkStorage'];
    hubRoutes: DataManagement['hubRoutes'];
  },
): Promise<HttpServer> {
  const { version, lifetime, graceMs, logger, clock, nodes, auth, areas, space, secrets, checkStorage, hubRoutes } =
    parts;
  const metrics = createMetrics();
  const times = {
    monotonicMs: () => performance.now(),
    wallMs: () => clock.now().getTime(),
    shareOf: (limit: number) => nodes.shareOf(limit),
  };
  const server = createHttpServer({
    basePath: config.basePath,
    authenticator: auth.sessions,
    limits: createRateLimits({
      windows: [
        { limit: config.rateLimitPerMinute, spanMs: 60_000 },
        { limit: config.rateLimitPerHour, spanMs: 3_600_000 },
      ],
      ...times,
    }),
    cookieLimits: createRateLimits({
      windows: [{ limit: config.cookieRateLimitPerMinute, spanMs: 60_000 }],
      ...times,
    }),
    metrics,
    logger,
    clock,
    trustedProxies: config.trustedProxies,
    connections: {
      max: config.maxConnections,
      headersMs: config.headersTimeoutSeconds * 1000,
      stallMs: config.stallTimeoutSeconds * 1000,
    },
    translateError: translateStorageError,
    freeingSpace,
  });
  lifetime.add({ stop: () => server.close(graceMs) });

  await addOpenApi(server.app, { version });
  addDocsPage(server.app, { atRoot: !(await server.addWebApp(webFolder)) });
  addHealthRoutes(server.app, {
    metrics,
    metricsAccess: config.metricsAccess,
    checks: { database: () => auth.users.exist(), storage: checkStorage },
    isLeaving: () => server.leaving,
    measureDisk: space.measure,
    findKeyProblem: secrets.findKeyProblem,
  });
  addDiskMetrics(metrics, space.measure);
  for (const { prefix, routes, envelope } of areas) server.addArea(prefix, routes, { envelope });
  server.app.register(async (app) => hubRoutes(app));

  server.app.addHook('onListen', async () => nodes.serve(addressOf(server.app, config)));
  return server;
}

/** The address of this node as shown to administrators. */
function addressOf(app: AreaApp, { nodeAddress, host }: Config): string {
  const { port } = app.server.address() as AddressInfo;
  return nodeAddress ?? `${/^(0\.0\.0\.0|::)$/.test(host) ? hostname() : host}:${port}`;
}
