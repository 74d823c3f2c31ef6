import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { LogController, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../kernel/clock.ts';
import { errors, type AppError } from '../kernel/errors.ts';
import type { Principal } from '../kernel/principal.ts';
import type { RateLimits } from '../kernel/rate-limits.ts';
import { ownedBy } from '../kernel/work-owner.ts';
import { withoutBasePath } from './path-prefix.ts';
import { addBodyParser } from './body-parser.ts';
import { limitConnections } from './connection-limit.ts';
import type { Authenticator } from './credentials.ts';
import { createEventStreams, type EventStreamOptions } from './event-stream.ts';
import { envelopeAnswers } from './envelope.ts';
import { apiPrefix, errorAnswer, pathOf, sendError, toAppError } from './error-answer.ts';
import { createFormLane } from './form-lane.ts';
import { chargeRateLimit } from './guard.ts';
import { defaultJsonBytes } from './json-body.ts';
import { createMalformedAnswers } from './malformed-request.ts';
import type { Metrics } from './metrics.ts';
import { parseQueryString, routablePath } from './query-string.ts';
import type { AreaApp, AreaRoutes } from './routes.ts';
import { compileSerializersLater } from './serialization.ts';
import { cutStalledConnections } from './stalled-connections.ts';
import { addUnknownRoutes } from './unknown-routes.ts';
import { validatorCompiler } from './validation.ts';
import { addWebApp, type WebApp } from './web-app.ts';
import { createRouteHooks, isApi } from './route-hooks.ts';

export type HttpServerOptions = {
  /** Path under which a reverse proxy exposes the service, such as `/tilth`; empty at the root. */
  basePath?: string;
  authenticator: Authenticator;
  limits: RateLimits;
  cookieLimits: RateLimits;
  metrics: Metrics;
  logger: Logger;
  clock: Clock;
  /** Addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. */
  trustedProxies?: readonly string[];
  /** Maximum number of connections and idle times; each has a default. */
  connections?: Partial<ConnectionLimits>;
  /** Translates failures of storage, which this folder cannot recognise. */
  translateError?: (error: unknown) => AppError | undefined;
  /** Runs the calls that free space, which are served on a full disk. */
  freeingSpace?: (work: () => void) => void;
  eventStreams?: Omit<EventStreamOptions, 'authenticator' | 'errorBody'>;
};

export type ConnectionLimits = {
  max: number;
  /** From the start of a connection or request until its headers have arrived. */
  headersMs: number;
  /** For a client that stops while it sends a body or receives an answer. */
  stallMs: number;
};

const defaultConnections: ConnectionLimits = { max: 16_384, headersMs: 20_000, stallMs: 60_000 };
/** Node adds a second. Not a whole number of seconds, so that it differs from every other timeout. */
const idleMs = 65_001;

export type HttpServer = {
  app: AreaApp;
  /** Adds the routes of an area under `/api/v1/<prefix>`; `envelope` wraps its answers as `{code, message, data}`. */
  addArea(prefix: string, routes: AreaRoutes, options?: { envelope?: boolean }): void;
  /** Serves the web application built into a folder; returns whether there is one. */
  addWebApp(folder: string): Promise<boolean>;
  /** Whether new API calls are answered 503, because the server is closing. */
  readonly draining: boolean;
  /** Whether it is about to close: it still serves calls, but closes each connection after the answer. */
  readonly leaving: boolean;
  /** Starts leaving, so that callers can find another server before this one closes. */
  leave(): void;
  /** Drains, waits for the calls in flight and aborts those still running after `graceMs`. */
  close(graceMs: number): Promise<void>;
};

/** The HTTP shell: everything that applies to every call before and after its handler. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { logger, clock, metrics, basePath = '' } = options;
  const connections = { ...defaultConnections, ...options.connections };
  const freeingSpace = options.freeingSpace ?? ((work: () => void) => work());
  const translate = options.translateError ?? (() => undefined);
  let draining = false;
  let leaving = false;
  let webApp: WebApp | undefined;
  const boot = randomBytes(4).toString('hex');
  let requests = 0;
  const newRequestId = (): string => `${boot}-${(++requests).toString(36)}`;

  const app: AreaApp = fastify({
    logger: false,
    bodyLimit: defaultJsonBytes,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: () => logger,
    genReqId: newRequestId,
    requestIdHeader: false,
    rewriteUrl: (request) => routablePath(withoutBasePath(request.url ?? '/', basePath)),
    trustProxy:
      options.trustedProxies === undefined || options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    keepAliveTimeout: idleMs,
    requestTimeout: 0,
    return503OnClosing: false,
    http: {
      headersTimeout: connections.headersMs,
      connectionsCheckingInterval: Math.min(5_000, connections.headersMs),
    },
    clientErrorHandler: createMalformedAnswers({ now: () => clock.now(), newRequestId, basePath }),
    // Longer than any URL that Node accepts: the id pattern, not the router, refuses long ids.
    routerOptions: { maxParamLength: 65_536, querystringParser: parseQueryString },
  }).withTypeProvider<TypeBoxTypeProvider>();
  const formLane = createFormLane({
    authenticator: options.authenticator,
    limits: options.limits,
    logger,
    metrics: metrics.http,
    basePath,
    hasTrustedProxies: (options.trustedProxies ?? []).length > 0,
    newRequestId,
    now: () => clock.now(),
    isLeaving: () => leaving,
    explain,
  });
  const ordinary = app.server.listeners('request') as RequestListener[];
  app.server.removeAllListeners('request');
  for (const listener of ordinary) app.server.on('request', formLane.inFrontOf(listener));
  const stalled = cutStalledConnections(app.server, connections.stallMs);
  limitConnections(app.server, connections.max, logger);

  const hooks = createRouteHooks({
    guardParts: options,
    logger,
    metrics: metrics.http,
    stalled,
    formLane,
    freeingSpace,
    isDraining: () => draining,
    isLeaving: () => leaving,
  });

  // No route accepts QUERY, but Fastify would complain about a missing media type first.
  app.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true });
  app.setValidatorCompiler(validatorCompiler);
  compileSerializersLater(app);
  const eventStreams = createEventStreams({
    authenticator: options.authenticator,
    errorBody(error, request) {
      const path = pathOf(request);
      const known = explain(error, { requestId: request.id, path });
      return errorAnswer(known, { servicePath: path, basePath, now: clock.now() }).body;
    },
    ...options.eventStreams,
  });
  app.decorate('basePath', basePath);
  app.decorate('eventStreams', eventStreams);
  app.decorateRequest('caller', null);
  app.decorateRequest('principal', { getter: principalOf });
  // Only deferred routes need the reply of a request. It is not kept in a WeakMap: weakly held entries survive every
  // minor garbage collection, and each small uploaded file left 7 KB for the major one.
  app.decorateRequest('deferredReply', null);
  app.decorateRequest('chargeRateLimit', function charge(this: FastifyRequest) {
    if (this.deferredReply === null) throw new Error('Only deferred routes charge by themselves');
    chargeRateLimit(this.caller, this.deferredReply);
  });

  addBodyParser(app);

  app.setErrorHandler((error, request, reply) => {
    const call = { requestId: request.id, path: pathOf(request) };
    const isForNobody = reply.raw.destroyed && error instanceof Error && error.name === 'AbortError';
    if (isForNobody) logger.info(call, 'the caller went before its answer was there');
    const known = isForNobody ? errors.INTERNAL_ERROR({}, { cause: error }) : explain(error, call);
    return sendError(known, request, reply, clock.now());
  });

  /** Translates a failure to an error of the catalogue; failures of the service are written to the log. */
  function explain(error: unknown, call: { requestId: string; path: string }): AppError {
    const known = toAppError(error, translate);
    if (known.kind === 'internal') logger.error({ ...call, err: error }, 'a call failed unexpectedly');
    else if (known.kind === 'out-of-storage' || known.kind === 'unavailable')
      logger.warn({ ...call, err: error }, 'a call could not be served');
    return known;
  }

  app.addHook('onRoute', (route) => hooks.prepare(route));

  // After the body is parsed: the parser's events run in the async context of the connection.
  app.addHook('preHandler', (request, reply, done) => {
    const fail = (error: unknown): boolean => {
      if (reply.sent) return false;
      void reply.send(error);
      return true;
    };
    ownedBy({ name: { requestId: request.id }, fail }, done);
  });

  addUnknownRoutes(app, {
    begin: hooks.begin,
    isApi,
    checkCredential: hooks.checkCredential,
    sendPage: (request, reply) => webApp?.sendPage(request, reply) ?? false,
  });

  return {
    app,
    addArea(prefix, routes, { envelope: enveloped = false } = {}) {
      app.register(
        async (area) => {
          if (enveloped) envelopeAnswers(area);
          await routes(area);
        },
        { prefix: `${apiPrefix}${prefix}` },
      );
    },
    async addWebApp(folder) {
      webApp = await addWebApp(app, folder);
      return webApp !== undefined;
    },
    get draining() {
      return draining;
    },
    get leaving() {
      return leaving;
    },
    leave() {
      leaving = true;
    },
    async close(graceMs) {
      leaving = true;
      draining = true;
      eventStreams.close();
      // A connection that becomes idle while the server closes would keep it open until its keep-alive ends.
      const idle = setInterval(() => app.server.closeIdleConnections(), 50);
      const grace = setTimeout(() => app.server.closeAllConnections(), graceMs);
      try {
        await app.close();
      } finally {
        clearInterval(idle);
        clearTimeout(grace);
      }
    },
  };
}

function principalOf(this: FastifyRequest): Principal {
  const principal = this.caller?.principal;
  if (principal === undefined) throw new Error('A PUBLIC route has no principal');
  return principal;
}
