import type { Logger } from 'pino';
import type { FormLane } from './form-lane.ts';
import { guard, type GuardParts } from './guard.ts';
import type { HttpMetrics, RouteLabel } from './metrics.ts';
import { observeRequest } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';
import type { StalledConnections } from './stalled-connections.ts';
import { causesOfDelay } from '../kernel/sentences/index.ts';
import type { RouteOptions, FastifyReply, FastifyRequest } from 'fastify';
import { unavailable, type AppError } from '../kernel/errors.ts';
import { apiPrefix } from './error-answer.ts';

export type RouteHookParts = {
  guardParts: GuardParts;
  logger: Logger;
  metrics: HttpMetrics;
  stalled: Pick<StalledConnections, 'watch'>;
  formLane: Pick<FormLane, 'add'>;
  /** Runs the calls that free space, which are served on a full disk. */
  freeingSpace: (work: () => void) => void;
  isDraining: () => boolean;
  isLeaving: () => boolean;
};

/** What a request passes before its handler. */
export type RouteHooks = {
  /** Adds the hooks of a route; throws if it does not state its access. */
  prepare(route: RouteOptions): void;
  begin(label: RouteLabel, request: FastifyRequest, reply: FastifyReply): void;
  checkCredential(request: FastifyRequest, reply: FastifyReply, access: 'PUBLIC' | 'VIEWER'): Promise<void>;
};

export function createRouteHooks(parts: RouteHookParts): RouteHooks {
  const { guardParts, logger, metrics, stalled, formLane, freeingSpace, isDraining, isLeaving } = parts;

  /** Decides everything about a route that can be decided once. */
  function prepare(route: RouteOptions): void {
    const access = route.config?.access;
    if (access === undefined)
      throw new Error(`The route ${String(route.method)} ${route.url} does not state its access`);
    const api = isApi(route.url);
    const label = { method: String(route.method), route: route.url };
    const status = successStatus(route);
    const frees = route.method === 'DELETE' || route.config?.freesSpace === true;
    const rule = { access, deferred: route.config?.rateLimit === 'deferred' };
    const receive = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      begin(label, request, reply);
      if (status !== 200) reply.code(status);
      if (rule.deferred) request.deferredReply = reply;
      // Health checks and pages are not API calls: neither counted nor refused while draining.
      if (!api && access === 'PUBLIC') done();
      else if (isDraining()) done(drainingError());
      else guard(guardParts, rule, request, reply, done);
    };
    const take = route.config?.takeWholeForm;
    if (take !== undefined) {
      if (access === 'PUBLIC' || !rule.deferred || status !== 200)
        throw new Error(`The route ${route.url} can't take whole forms: it must be deferred and answer 200`);
      formLane.add(route.url, { label, access, take });
    }
    route.onRequest = frees ? (request, reply, done) => freeingSpace(() => receive(request, reply, done)) : receive;
  }

  /** The first step of every request, on known and unknown routes. */
  function begin(label: RouteLabel, request: FastifyRequest, reply: FastifyReply): void {
    observeRequest({ logger, metrics }, label, request, reply);
    reply.header('x-request-id', request.id);
    if (isLeaving()) reply.header('connection', 'close');
    for (const [name, value] of securityHeaders) reply.header(name, value);
    const { method } = request.raw;
    if (method !== 'GET' && method !== 'HEAD') stalled.watch(request.raw);
  }

  function checkCredential(request: FastifyRequest, reply: FastifyReply, access: 'PUBLIC' | 'VIEWER'): Promise<void> {
    return new Promise((resolve, reject) => {
      if (isDraining()) reject(drainingError());
      else
        guard(guardParts, { access, deferred: false }, request, reply, (error) => {
          if (error === undefined) resolve();
          else reject(error);
        });
    });
  }

  return { prepare, begin, checkCredential };
}

/** The first 2xx status that a route declares. */
function successStatus(route: RouteOptions): number {
  const response = (route.schema?.response ?? {}) as Record<string, unknown>;
  const declared = Object.keys(response).find((status) => /^2\d\d$/.test(status));
  return declared === undefined ? 200 : Number(declared);
}

export function isApi(path: string): boolean {
  return path === apiPrefix || path.startsWith(`${apiPrefix}/`);
}

function drainingError(): AppError {
  return unavailable(causesOfDelay.SHUTTING_DOWN.reason({}), 5);
}
