import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { AppError } from '../kernel/errors.ts';
import type { Role } from '../kernel/principal.ts';
import { freeBytes } from '../kernel/spent-bytes.ts';
import { errorAnswer } from './error-answer.ts';
import { admitAtOnce, rateHeaders, type Admitted, type GuardParts } from './guard.ts';
import type { HttpMetrics, RouteLabel } from './metrics.ts';
import { findPlainBoundary } from './multipart-headers.ts';
import { withoutBasePath } from './path-prefix.ts';
import { observeCall } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';
import { splitWholeForm, type TakeWholeForm } from './whole-form.ts';

/** A route with `rateLimit: 'deferred'` that accepts such forms. */
export type FormRoute = { label: RouteLabel; access: Role; take: TakeWholeForm };

export type FormLaneParts = Pick<GuardParts, 'authenticator' | 'limits'> & {
  logger: Logger;
  metrics: HttpMetrics;
  basePath: string;
  /** Whether X-Forwarded-For is trusted. */
  hasTrustedProxies: boolean;
  newRequestId(): string;
  now(): Date;
  isLeaving(): boolean;
  /** Translates a failure to an error of the catalogue; writes it to the log where required. */
  explain(error: unknown, call: { requestId: string; path: string }): AppError;
};

/**
 * Answers calls with small forms before Fastify, if the form arrived in one piece with its headers, the caller is
 * cached and the route accepts it. This saves router, hooks, request and reply objects, promises and the form's parser:
 * half of what such a call costs on the event loop. Order of decisions, headers, answer, log line and metrics are the same.
 * Any other call is passed to Fastify unchanged.
 */
export type FormLane = {
  /** Registers a route by its pattern, as `/datasets/:datasetId/files`. */
  add(pattern: string, route: FormRoute): void;
  /** The request listener to install instead of `ordinary`. */
  inFrontOf(ordinary: RequestListener): RequestListener;
};

type Match = { route: FormRoute; params: Record<string, string> };

/** Bytes that Node reads from a connection at once: a larger form never arrives in one piece. */
const maxBodyBytes = 65_536;

export function createFormLane(parts: FormLaneParts): FormLane {
  const { basePath, hasTrustedProxies, newRequestId, now, isLeaving, explain } = parts;
  const routes: { path: RegExp; names: readonly string[]; route: FormRoute }[] = [];

  function findRoute(request: IncomingMessage): Match | undefined {
    const url = withoutBasePath(request.url ?? '', basePath);
    for (const { path, names, route } of routes) {
      if (request.method !== route.label.method) continue;
      const values = path.exec(url);
      if (values === null) continue;
      const params: Record<string, string> = {};
      for (const [index, name] of names.entries()) params[name] = values[index + 1] ?? '';
      return { route, params };
    }
    return undefined;
  }

  /** The boundary of a form that may have arrived as a whole. */
  function findBoundary({ headers }: IncomingMessage): string | undefined {
    const isOrdinary =
      isLeaving() ||
      !(Number(headers['content-length']) <= maxBodyBytes) ||
      headers['content-encoding'] !== undefined ||
      (hasTrustedProxies && headers['x-forwarded-for'] !== undefined);
    return isOrdinary ? undefined : findPlainBoundary(headers['content-type']);
  }

  /** Undefined, without any effect, if the call must go through Fastify. */
  function takeForm(request: IncomingMessage, { route, params }: Match, boundary: string) {
    const admitted = admitAtOnce(parts, route.access, request.headers);
    if (admitted === undefined || request.readableLength !== Number(request.headers['content-length']))
      return undefined;
    const body = request.read() as Buffer | null;
    if (body === null) return undefined;
    const form = splitWholeForm(body, boundary);
    const answer = form && route.take(params, form);
    if (answer === undefined) {
      request.unshift(body);
      return undefined;
    }
    freeBytes(body);
    // Only the end of the stream is missing; it is emitted only while the stream is read.
    request.resume();
    return { admitted, answer };
  }

  function serve(
    request: IncomingMessage,
    response: ServerResponse,
    { route, admitted, answer }: { route: FormRoute; admitted: Admitted; answer: Promise<unknown> },
  ): void {
    const requestId = newRequestId();
    const address = request.socket.remoteAddress;
    const path = withoutBasePath(request.url ?? '', basePath);
    const { username: user } = admitted.principal;
    observeCall(parts, route.label, { request, response }, () => ({ requestId, path, user, address }));
    const headers = headersOf(requestId, admitted);
    answer.then(
      (value) => {
        headers.push('content-type', 'application/json; charset=utf-8');
        send(response, 200, headers, JSON.stringify(value));
      },
      (error: unknown) => {
        const known = explain(error, { requestId, path });
        const failed = errorAnswer(known, { servicePath: path, basePath, now: now() });
        for (const [name, value] of failed.headers) headers.push(name, value);
        send(response, failed.status, headers, failed.body);
      },
    );
  }

  return {
    add(pattern, route) {
      const names: string[] = [];
      const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
        names.push(name);
        return '([A-Za-z0-9_-]{1,64})';
      });
      routes.push({ path: new RegExp(`^${path}$`), names, route });
    },

    inFrontOf(ordinary) {
      return (request, response) => {
        const match = findRoute(request);
        const boundary = match && findBoundary(request);
        if (match === undefined || boundary === undefined) {
          ordinary(request, response);
          return;
        }
        // Bytes read together with the headers arrive right after this turn of the event loop.
        queueMicrotask(() => {
          const taken = takeForm(request, match, boundary);
          if (taken === undefined) ordinary(request, response);
          else serve(request, response, { route: match.route, ...taken });
        });
      };
    },
  };
}

/** Names and values, alternating. */
function headersOf(requestId: string, { rate }: Admitted): string[] {
  const headers = ['x-request-id', requestId];
  for (const [name, value] of securityHeaders) headers.push(name, value);
  if (rate !== undefined) {
    headers.push(rateHeaders.limit, String(rate.limit), rateHeaders.remaining, String(rate.remaining));
    headers.push(rateHeaders.resetAt, String(rate.resetAt));
  }
  return headers;
}

function send(response: ServerResponse, status: number, headers: string[], body: string): void {
  headers.push('content-length', String(Buffer.byteLength(body)));
  response.writeHead(status, headers);
  response.end(body);
}
