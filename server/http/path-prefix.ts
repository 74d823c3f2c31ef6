import type { IncomingMessage } from 'node:http';

declare module 'fastify' {
  interface FastifyInstance {
    /** Path under which a reverse proxy exposes the service, such as `/tilth`; empty at the root. */
    basePath: string;
  }
}

/**
 * The URL inside the service: without the base path if the proxy kept it, unchanged if the proxy stripped it or the
 * call did not go through the proxy.
 */
export function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === '') return '/';
  if (rest.startsWith('/')) return rest;
  return rest.startsWith('?') ? `/${rest}` : url;
}

/** The path of a URL, without its query. */
export function pathOfUrl(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** The URL as the client sent it, before it was made routable. */
export function originalUrlOf(request: IncomingMessage): string {
  return (request as IncomingMessage & { originalUrl?: string }).originalUrl ?? request.url ?? '/';
}
