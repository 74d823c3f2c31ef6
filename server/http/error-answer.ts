import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathOfUrl, withoutBasePath } from './path-prefix.ts';
import { AppError, errors, type ErrorKind } from '../kernel/errors.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';

/** HTTP status of each kind of failure. */
export const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  conflict: 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  'precondition-failed': 412,
  'range-not-satisfiable': 416,
  'rate-limited': 429,
  internal: 500,
  unavailable: 503,
  'out-of-storage': 507,
};

export const apiPrefix = '/api/v1';
const dataManagementPrefix = `${apiPrefix}/data-management`;

/** Whether errors under this path have the identifier in `error` (data management) or the general shape. */
export function hasDataManagementErrors(path: string): boolean {
  return path === dataManagementPrefix || path.startsWith(`${dataManagementPrefix}/`);
}

/** The path of a request without base path and query, as the client sent it. */
export function pathOf(request: FastifyRequest): string {
  return pathOfUrl(withoutBasePath(request.originalUrl, request.server.basePath));
}

/** The answer to an error. */
export type ErrorAnswer = {
  status: number;
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
};

/** The answer to a failed call; its path decides the shape of the body. */
export function errorAnswer(
  error: AppError,
  { servicePath, basePath, now }: { servicePath: string; basePath: string; now: Date },
): ErrorAnswer {
  const timestamp = now.toISOString();
  const path = basePath + servicePath;
  const status = statusOfKind[error.kind];
  const errorParams = error.params;
  const body = hasDataManagementErrors(servicePath)
    ? { error: error.code, message: error.message, errorParams, timestamp, path }
    : {
        code: status,
        message: STATUS_CODES[status] ?? '',
        error: error.message,
        errorCode: error.code,
        errorParams,
        timestamp,
        path,
      };
  const headers: [string, string][] = [];
  if (error.kind === 'unauthenticated') headers.push(['www-authenticate', 'Bearer realm="tilth"']);
  if (error.retryAfterSeconds !== undefined) headers.push(['retry-after', String(error.retryAfterSeconds)]);
  headers.push(['cache-control', 'no-store'], ['content-type', 'application/json; charset=utf-8']);
  return { status, headers, body: JSON.stringify(body) };
}

/** Turns any error of a handler or of Fastify into an error of a catalogue. */
export function toAppError(error: unknown, translate: (error: unknown) => AppError | undefined): AppError {
  if (error instanceof AppError) return error;
  const translated = translate(error);
  if (translated !== undefined) return translated;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return errors.UNSUPPORTED_MEDIA_TYPE({ expected: 'a media type in Content-Type' });
  if (typeof code === 'string' && code.startsWith('FST_') && statusCode === 400)
    return errors.INVALID_PARAMETER(
      { field: 'request', problem: parameterProblems.IS_MALFORMED.reason({}) },
      { cause: error },
    );
  return errors.INTERNAL_ERROR({}, { cause: error });
}

/** Answers a request with an error: status, headers, body. */
export function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply, now: Date): FastifyReply {
  const { basePath } = request.server;
  const { status, headers, body } = errorAnswer(error, { servicePath: pathOf(request), basePath, now });
  reply.removeHeader('etag').removeHeader('content-disposition').removeHeader('content-length');
  for (const [name, value] of headers) reply.header(name, value);
  return reply.code(status).send(body);
}
