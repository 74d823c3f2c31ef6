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

/** Weakest role that may call a route; PUBLIC needs no credential. */
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
    /** Who may call the route; a route without it refuses to start. */
    access: Access;
    /** The call gives space back, as every DELETE does: it is served on a full disk, too. */
    freesSpace?: true;
    /** `deferred`: the handler decides by `request.chargeRateLimit()` whether the call counts. */
    rateLimit?: 'deferred';
    /** `stream`: the handler reads `request.raw` itself; no parser, no size limit, no time limit while bytes flow. */
    body?: 'stream';
    /** Takes small forms that have come as a whole in front of everything else; for `deferred` routes that answer 200. */
    takeWholeForm?: TakeWholeForm;
    /** What such a body looks like, for the documentation. */
    streamBody?: { contentType: string; schema: TSchema };
  }

  interface FastifyRequest {
    /** Who calls; reading it on a PUBLIC route throws. */
    readonly principal: Principal;
    /** Counts this call against the caller's limits; throws RATE_LIMIT_EXCEEDED when none is left. For `deferred` routes. */
    chargeRateLimit(): void;
  }
}
