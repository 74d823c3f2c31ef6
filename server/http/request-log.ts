import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { symbols, type Logger } from 'pino';
import type { HttpMetrics, RouteLabel } from './metrics.ts';
import { pathOf } from './error-answer.ts';

/** If the client is still sending a body this long after its answer, the connection is closed. */
const lingerMs = 10_000;

/** The log line of a request. */
export type RequestLine = {
  requestId: string;
  method: string;
  route: string;
  path: string;
  status: number;
  durationMs: number;
  user: string | undefined;
  /** Undefined when the connection was closed before the request was processed. */
  address: string | undefined;
};

/** Pino's internals: the beginning of the line for each level, and the output stream. */
type LineParts = {
  [symbols.lsCacheSym]: Readonly<Record<number, string>>;
  [symbols.timeSym]: () => string;
  [symbols.chindingsSym]: string;
  [symbols.streamSym]: { write(line: string): void };
};

/**
 * Writes exactly the line of `logger.info(line, message)`, but without looking up type and serializer of every field:
 * that took five times as long as the line itself, on every request.
 */
export function logRequest(logger: Logger, line: RequestLine, message: string): void {
  const parts = logger as unknown as LineParts;
  const { requestId, method, route, path, status, durationMs, user, address } = line;
  parts[symbols.streamSym].write(
    `${parts[symbols.lsCacheSym][logger.levels.values['info'] ?? 0]}${parts[symbols.timeSym]()}${parts[symbols.chindingsSym]}` +
      `,"requestId":${JSON.stringify(requestId)},"method":${JSON.stringify(method)},"route":${JSON.stringify(route)}` +
      `,"path":${JSON.stringify(path)},"status":${status},"durationMs":${durationMs}` +
      (user === undefined ? '' : `,"user":${JSON.stringify(user)}`) +
      (address === undefined ? '' : `,"address":${JSON.stringify(address)}`) +
      `,"msg":${JSON.stringify(message)}}\n`,
  );
}

/** Caller and call, as they appear in the log. */
export type CallDetails = Pick<RequestLine, 'requestId' | 'path' | 'user' | 'address'>;

/**
 * Records how a call ended in the log and the metrics, whether it was answered or the client disconnected. The path is
 * logged without its query and without the parts in which a client may have put a secret.
 */
export function observeCall(
  { logger, metrics }: { logger: Logger; metrics: HttpMetrics },
  label: RouteLabel,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  describe: () => CallDetails,
): void {
  const startedAt = performance.now();
  response.once('close', () => {
    const durationMs = performance.now() - startedAt;
    const finished = response.writableFinished;
    const status = finished ? response.statusCode : 499;
    metrics.observe(label, status, durationMs / 1000);
    if (logger.isLevelEnabled('info')) {
      const line = {
        ...describe(),
        method: request.method ?? '',
        route: label.route,
        status,
        durationMs: Math.round(durationMs * 1000) / 1000,
      };
      logRequest(logger, line, finished ? 'request' : 'request aborted by the client');
    }
    if (!request.complete && !request.destroyed) {
      setTimeout(() => {
        if (!request.complete) request.destroy();
      }, lingerMs).unref();
    }
  });
}

/** `observeCall` for a Fastify request. */
export function observeRequest(
  parts: { logger: Logger; metrics: HttpMetrics },
  label: RouteLabel,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  // Read now: the address is unknown once the connection is closed.
  const address: string | undefined = request.ip;
  observeCall(parts, label, { request: request.raw, response: reply.raw }, () => ({
    requestId: request.id,
    path: pathOf(request),
    user: request.caller?.principal?.username,
    address,
  }));
}
