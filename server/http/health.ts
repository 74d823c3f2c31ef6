import { causesOfDelay } from '../kernel/sentences/index.ts';
import { Type } from 'typebox';
import { unavailable } from '../kernel/errors.ts';
import type { Access, AreaApp } from './routes.ts';
import type { DiskFigures } from './disk-metrics.ts';
import type { Metrics } from './metrics.ts';
import { namedObject, oneOf } from './schemas.ts';

const StatusSchema = namedObject('ServiceStatus', { status: Type.String() });

const ReadinessSchema = namedObject('Readiness', {
  status: oneOf('ReadinessStatus', ['ready', 'degraded'], {
    description:
      'degraded: calls are served, but disk space is low (on a full disk only deletions are accepted) or stored secrets cannot be decrypted',
  }),
  disk: Type.Optional(
    namedObject(
      'DiskShortage',
      { state: oneOf('DiskState', ['LOW', 'FULL']), freeBytes: Type.Integer(), message: Type.String() },
      { description: 'Only if disk space is low' },
    ),
  ),
  secrets: Type.Optional(
    Type.String({ description: 'What to do about a missing key of stored secrets; only if this process lacks it' }),
  ),
});

const diskMessages = {
  LOW: 'Disk space is running low; delete data, or give the data folder a larger disk',
  FULL: 'The disk is full: only deletions are served. Delete datasets, or files with purge=true, until space is back',
};

export type HealthOptions = {
  metrics: Metrics;
  metricsAccess: Access;
  /** Checks by name; each throws if its part cannot serve calls. */
  checks: Readonly<Record<string, () => Promise<unknown>>>;
  /** Whether it is about to stop: calls should go to another node. */
  isLeaving: () => boolean;
  measureDisk: () => Promise<DiskFigures>;
  /** Why stored secrets cannot be decrypted by this process; undefined if they can. */
  findKeyProblem: () => Promise<string | undefined>;
};

/**
 * `/healthz`: the process answers. `/readyz`: database and storage answer too, and the service is not shutting down. On
 * a full disk it stays 200, because a service out of rotation could not be used to free the disk. `/metrics`:
 * Prometheus. None of them counts against a rate limit.
 */
export function addHealthRoutes(
  app: AreaApp,
  { metrics, metricsAccess, checks, isLeaving, measureDisk, findKeyProblem }: HealthOptions,
): void {
  const tags = ['Service'];
  app.get(
    '/healthz',
    {
      config: { access: 'PUBLIC' },
      schema: {
        operationId: 'getLiveness',
        summary: 'Check whether the process is alive',
        tags,
        response: { 200: StatusSchema },
      },
    },
    async () => ({ status: 'ok' }),
  );
  app.get(
    '/readyz',
    {
      config: { access: 'PUBLIC' },
      schema: {
        operationId: 'getReadiness',
        summary: 'Check whether calls can be served and whether disk space is low',
        tags,
        response: { 200: ReadinessSchema },
      },
    },
    async () => {
      if (isLeaving()) throw unavailable(causesOfDelay.SHUTTING_DOWN.reason({}), 5);
      for (const [name, check] of Object.entries(checks)) {
        try {
          await check();
        } catch (error) {
          throw unavailable(causesOfDelay.NOT_ANSWERING.reason({ name }), 5, error);
        }
      }
      const { state, freeBytes } = await measureDisk();
      const secrets = await findKeyProblem();
      if (state === 'OK' && secrets === undefined) return { status: 'ready' as const };
      return {
        status: 'degraded' as const,
        ...(state === 'OK' ? {} : { disk: { state, freeBytes, message: diskMessages[state] } }),
        ...(secrets === undefined ? {} : { secrets }),
      };
    },
  );
  app.get(
    '/metrics',
    {
      config: { access: metricsAccess },
      schema: { operationId: 'getMetrics', summary: 'Metrics in Prometheus format', tags },
    },
    async (_request, reply) => {
      reply.header('content-type', metrics.contentType);
      return metrics.render();
    },
  );
}
