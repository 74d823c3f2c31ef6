import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../kernel/errors.ts';
import type { AreaApp } from './routes.ts';
import { pathOf } from './error-answer.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const unknownLabel = new Map(
  [...methods, 'OPTIONS', 'OTHER'].map((method) => [method, { method, route: 'unknown' }] as const),
);
const otherLabel = { method: 'OTHER', route: 'unknown' };

export type UnknownRouteParts = {
  begin(label: { method: string; route: string }, request: FastifyRequest, reply: FastifyReply): void;
  isApi(path: string): boolean;
  checkCredential(request: FastifyRequest, reply: FastifyReply, access: 'PUBLIC' | 'VIEWER'): Promise<void>;
  /** Answers with a page of the web application; false if the request is not for one. */
  sendPage(request: FastifyRequest, reply: FastifyReply): boolean;
};

/**
 * Answers requests without a matching route: 401 without a credential, 405 with `Allow` if the path has other methods,
 * else 404. Outside the API, a 404 needs no credential.
 */
export function addUnknownRoutes(app: AreaApp, { begin, isApi, checkCredential, sendPage }: UnknownRouteParts): void {
  app.setNotFoundHandler(async (request, reply) => {
    begin(unknownLabel.get(request.method) ?? otherLabel, request, reply);
    const path = pathOf(request);
    const allowed = allowedMethods(request.raw.url ?? '/');
    if (isApi(path)) await checkCredential(request, reply, allowed.isPublic ? 'PUBLIC' : 'VIEWER');
    else if (allowed.methods.length === 0 && sendPage(request, reply)) return reply;
    if (allowed.methods.length === 0) throw errors.NOT_FOUND({ what: `The path ${path}` });
    reply.header('allow', allowed.methods.join(', '));
    throw errors.METHOD_NOT_ALLOWED({ method: request.method, allowed: allowed.methods.join(', ') });
  });

  const publicPatterns = new Set<string>();
  app.addHook('onRoute', (route) => {
    if (route.config?.access === 'PUBLIC')
      for (const method of [route.method].flat()) publicPatterns.add(`${method} ${route.url}`);
  });

  function allowedMethods(url: string): { methods: string[]; isPublic: boolean } {
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    const found = methods.filter((method) => app.findRoute({ method, url: path }) !== null);
    return { methods: [...found], isPublic: found.some((method) => publicPatterns.has(`${method} ${path}`)) };
  }
}
