import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { TSchema } from 'typebox';
import type { TakeWholeForm } from './whole-form.ts';
import type { Principal, Role } from '../kernel/principal.ts';

/** Minimum role that may call a route; PUBLIC needs no credential. */
export type Access = 'PUBLIC' | Role;

/** A Fastify instance whose handlers are typed by the TypeBox schemas of their route. */
export type AreaApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/**
 * The routes of an area, relative to its URL prefix. The status of a success is the first 2xx key of the route's response
 * schemas, so a handler only returns its data: `response: { 201: DatasetSchema }`, `response: { 204: NoContent }`.
 */
export type AreaRoutes = (app: AreaApp) => Promise<void> | void;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Minimum role; the service refuses to start if a route has none. */
    access: Access;
    /** Set if the call frees space, as every DELETE does: it is then served even on a full disk. */
    freesSpace?: true;
    /** `deferred`: the handler decides by `request.chargeRateLimit()` whether the call counts. */
    rateLimit?: 'deferred';
    /** `stream`: the handler reads `request.raw` itself; no parser, no size limit, no time limit while bytes flow. */
    body?: 'stream';
    /** Handles small forms that arrived as a whole, before Fastify; for `deferred` routes that answer 200. */
    takeWholeForm?: TakeWholeForm;
    /** For the documentation: the schema of a `stream` body, and of a JSON body that the handler accepts instead. */
    streamBody?: { contentType: string; schema: TSchema; orJson?: TSchema };
  }

  interface FastifyRequest {
    /** The caller; reading it on a PUBLIC route throws. */
    readonly principal: Principal;
    /**
     * Counts this call against the caller's limits; throws RATE_LIMIT_EXCEEDED when none is left. For `deferred`
     * routes.
     */
    chargeRateLimit(): void;
  }
}
