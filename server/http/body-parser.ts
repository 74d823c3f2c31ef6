import { errors } from '../kernel/errors.ts';
import { readJsonBody } from './json-body.ts';
import type { AreaApp } from './routes.ts';
import type { FastifyRequest } from 'fastify';

/** Parses bodies of JSON; routes that read their body as a stream, or have none, get no parsed one. */
export function addBodyParser(app: AreaApp): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    const { bodyLimit, config, schema } = request.routeOptions;
    if (config.body === 'stream' || request.is404 || schema?.body === undefined) done(null, undefined);
    else if (!isJson(request)) done(errors.UNSUPPORTED_MEDIA_TYPE({ expected: 'Content-Type: application/json' }));
    else readJsonBody(payload, bodyLimit).then((body) => done(null, body), done);
  });
}

function isJson(request: FastifyRequest): boolean {
  const type = request.mediaType;
  if (type !== 'application/json' && type?.endsWith('+json') !== true) return false;
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8' || charset.toLowerCase() === 'utf8';
}
