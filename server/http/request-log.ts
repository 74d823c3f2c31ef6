import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { HttpMetrics } from './metrics.ts';
import { pathOf } from './error-answer.ts';

/** A body that the client is still sending this long after its answer ends the connection. */
const lingerMs = 10_000;

export type RouteLabel = { method: string; route: string };

/**
 * Tells the log and the metrics how a request ended, one line each, whether it was answered or the client went away. The
 * path is logged without its query and without what a client may put where a secret could stand.
 */
export function observeRequest(
  { logger, metrics }: { logger: Logger; metrics: HttpMetrics },
  label: RouteLabel,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const startedAt = performance.now();
  reply.raw.once('close', () => {
    const durationMs = performance.now() - startedAt;
    const finished = reply.raw.writableFinished;
    const status = finished ? reply.raw.statusCode : 499;
    metrics.observe(label, status, durationMs / 1000);
    if (logger.isLevelEnabled('info')) {
      logger.info(
        {
          requestId: request.id,
          method: request.method,
          route: label.route,
          path: pathOf(request),
          status,
          durationMs: Math.round(durationMs * 1000) / 1000,
          user: request.caller?.principal?.username,
          address: request.ip,
        },
        finished ? 'request' : 'request aborted by the client',
      );
    }
    if (!request.raw.complete && !request.raw.destroyed) {
      setTimeout(() => {
        if (!request.raw.complete) request.raw.destroy();
      }, lingerMs).unref();
    }
  });
}
