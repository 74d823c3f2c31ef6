import { causesOfDelay } from '../kernel/sentences/index.ts';
import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { LogController, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify';
import type { Logger } from 'pino';
import type { TSchema } from 'typebox';
import type { Clock } from '../kernel/clock.ts';
import { errors, unavailable, type AppError } from '../kernel/errors.ts';
import type { Principal } from '../kernel/principal.ts';
import type { RateLimits } from '../kernel/rate-limits.ts';
import { ownedBy } from '../kernel/work-owner.ts';
import { withoutBasePath } from './path-prefix.ts';
import { limitConnections } from './connection-limit.ts';
import type { Authenticator } from './credentials.ts';
import { createEventStreams, type EventStreamOptions } from './event-stream.ts';
import { envelope, envelopeSchema } from './envelope.ts';
import { apiPrefix, errorAnswer, pathOf, sendError, toAppError } from './error-answer.ts';
import { createFormLane } from './form-lane.ts';
import { chargeRateLimit, guard } from './guard.ts';
import { defaultJsonBytes, readJsonBody } from './json-body.ts';
import { createMalformedAnswers } from './malformed-request.ts';
import type { Metrics } from './metrics.ts';
import { parseQueryString, routablePath } from './query-string.ts';
import { observeRequest } from './request-log.ts';
import type { AreaApp, AreaRoutes } from './routes.ts';
import { securityHeaders } from './security-headers.ts';
import { compileSerializersLater } from './serialization.ts';
import { cutStalledConnections } from './stalled-connections.ts';
import { addUnknownRoutes } from './unknown-routes.ts';
import { validatorCompiler } from './validation.ts';
import { addWebApp, type WebApp } from './web-app.ts';

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

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    const { bodyLimit, config, schema } = request.routeOptions;
    if (config.body === 'stream' || request.is404 || schema?.body === undefined) done(null, undefined);
    else if (!isJson(request)) done(errors.UNSUPPORTED_MEDIA_TYPE({ expected: 'Content-Type: application/json' }));
    else readJsonBody(payload, bodyLimit).then((body) => done(null, body), done);
  });

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

  app.addHook('onRoute', (route) => prepareRoute(route));

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
    begin,
    isApi,
    checkCredential,
    sendPage: (request, reply) => webApp?.sendPage(request, reply) ?? false,
  });

  /** Decides everything about a route that can be decided once. */
  function prepareRoute(route: RouteOptions): void {
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
      else if (draining) done(drainingError());
      else guard(options, rule, request, reply, done);
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
  function begin(label: { method: string; route: string }, request: FastifyRequest, reply: FastifyReply): void {
    observeRequest({ logger, metrics: metrics.http }, label, request, reply);
    reply.header('x-request-id', request.id);
    if (leaving) reply.header('connection', 'close');
    for (const [name, value] of securityHeaders) reply.header(name, value);
    const { method } = request.raw;
    if (method !== 'GET' && method !== 'HEAD') stalled.watch(request.raw);
  }

  function checkCredential(request: FastifyRequest, reply: FastifyReply, access: 'PUBLIC' | 'VIEWER'): Promise<void> {
    return new Promise((resolve, reject) => {
      if (draining) reject(drainingError());
      else
        guard(options, { access, deferred: false }, request, reply, (error) => {
          if (error === undefined) resolve();
          else reject(error);
        });
    });
  }

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

function envelopeAnswers(area: AreaApp): void {
  area.addHook('onRoute', (route) => {
    const response = route.schema?.response as Record<string, TSchema> | undefined;
    if (response === undefined) return;
    const wrapped: Record<string, TSchema> = {};
    for (const [status, schema] of Object.entries(response))
      wrapped[status] =
        status.startsWith('2') && status !== '204' && !('content' in schema) ? envelopeSchema(schema) : schema;
    route.schema = { ...route.schema, response: wrapped };
  });
  area.addHook('preSerialization', (_request, reply, payload, done) => {
    done(null, envelope(reply.statusCode, payload));
  });
}

/** The first 2xx status that a route declares. */
function successStatus(route: RouteOptions): number {
  const response = (route.schema?.response ?? {}) as Record<string, unknown>;
  const declared = Object.keys(response).find((status) => /^2\d\d$/.test(status));
  return declared === undefined ? 200 : Number(declared);
}

function principalOf(this: FastifyRequest): Principal {
  const principal = this.caller?.principal;
  if (principal === undefined) throw new Error('A PUBLIC route has no principal');
  return principal;
}

function isApi(path: string): boolean {
  return path === apiPrefix || path.startsWith(`${apiPrefix}/`);
}

function isJson(request: FastifyRequest): boolean {
  const type = request.mediaType;
  if (type !== 'application/json' && type?.endsWith('+json') !== true) return false;
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8' || charset.toLowerCase() === 'utf8';
}

function drainingError(): AppError {
  return unavailable(causesOfDelay.SHUTTING_DOWN.reason({}), 5);
}
