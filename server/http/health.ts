import { Type } from 'typebox';
import { errors } from '../kernel/errors.ts';
import type { Access, AreaApp } from './routes.ts';
import type { Metrics } from './metrics.ts';

const StatusSchema = Type.Object({ status: Type.String() });

export type HealthOptions = {
  metrics: Metrics;
  metricsAccess: Access;
  /** Checks by name; each throws when its part can't serve. */
  checks: Readonly<Record<string, () => Promise<unknown>>>;
  isDraining: () => boolean;
};

/**
 * `/healthz`: the process answers. `/readyz`: database and storage answer, too, and the service isn't shutting down.
 * `/metrics`: Prometheus. None of them counts against a rate limit.
 */
export function addHealthRoutes(app: AreaApp, { metrics, metricsAccess, checks, isDraining }: HealthOptions): void {
  const tags = ['Service'];
  app.get(
    '/healthz',
    {
      config: { access: 'PUBLIC' },
      schema: {
        operationId: 'getLiveness',
        summary: 'Whether the process is alive',
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
        summary: 'Whether calls can be served',
        tags,
        response: { 200: StatusSchema },
      },
    },
    async () => {
      if (isDraining()) throw errors.UNAVAILABLE({ problem: 'The service is shutting down' }, { retryAfterSeconds: 5 });
      for (const [name, check] of Object.entries(checks)) {
        try {
          await check();
        } catch (error) {
          throw errors.UNAVAILABLE({ problem: `The ${name} does not answer` }, { cause: error, retryAfterSeconds: 5 });
        }
      }
      return { status: 'ready' };
    },
  );
  app.get(
    '/metrics',
    {
      config: { access: metricsAccess },
      schema: { operationId: 'getMetrics', summary: 'Metrics in the format of Prometheus', tags },
    },
    async (_request, reply) => {
      reply.header('content-type', metrics.contentType);
      return metrics.render();
    },
  );
}
