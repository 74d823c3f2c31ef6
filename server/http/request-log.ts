import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { symbols, type Logger } from 'pino';
import type { HttpMetrics, RouteLabel } from './metrics.ts';
import { pathOf } from './error-answer.ts';

/** A body that the client is still sending this long after its answer ends the connection. */
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
  /** Undefined when the connection was gone before the request was looked at. */
  address: string | undefined;
};

/** What pino begins each of its lines with, and where it writes them. */
type LineParts = {
  [symbols.lsCacheSym]: Readonly<Record<number, string>>;
  [symbols.timeSym]: () => string;
  [symbols.chindingsSym]: string;
  [symbols.streamSym]: { write(line: string): void };
};

/**
 * Writes the very line that `logger.info(line, message)` would, without asking of every field what it is and how it is
 * serialised: that took five times as long as the line itself, at every request.
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

/** Who called what, as the log tells it. */
export type CallDetails = Pick<RequestLine, 'requestId' | 'path' | 'user' | 'address'>;

/**
 * Tells the log and the metrics how a call ended, one line each, whether it was answered or the client went away. The
 * path is logged without its query and without what a client may put where a secret could stand.
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

/** The same of a request to Fastify. */
export function observeRequest(
  parts: { logger: Logger; metrics: HttpMetrics },
  label: RouteLabel,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  // The address is no longer known once the connection is closed.
  const address: string | undefined = request.ip;
  observeCall(parts, label, { request: request.raw, response: reply.raw }, () => ({
    requestId: request.id,
    path: pathOf(request),
    user: request.caller?.principal?.username,
    address,
  }));
}
