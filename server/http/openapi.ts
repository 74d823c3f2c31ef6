import { STATUS_CODES } from 'node:http';
import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify';
import type { TSchema } from 'typebox';
import { apiPrefix, hasDataManagementErrors } from './error-answer.ts';
import { defaultJsonBytes, sizeInWords } from './json-body.ts';
import { createNamedSchemas, hasDefault, type NamedSchemas } from './openapi-schemas.ts';
import type { Access, AreaApp } from './routes.ts';
import { DataManagementErrorSchema, ServiceErrorSchema } from './schemas.ts';

export const openApiPath = `${apiPrefix}/openapi.json`;

type Json = Record<string, unknown>;

const statusMeanings: Readonly<Record<number, string>> = {
  400: 'A parameter is invalid',
  401: 'No valid credential',
  403: 'The role does not allow this call',
  404: 'A resource named in the call does not exist',
  409: 'The current state does not allow this',
  413: 'Too large',
  415: 'Wrong media type',
  429: 'Rate limit exceeded',
  500: 'Internal error',
  503: 'Overloaded or shutting down',
  507: 'Out of storage',
};

const securitySchemes: Json = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
};

const headers: Json = {
  RateLimitLimit: { description: 'Limit of the window with fewer calls remaining', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'Calls remaining in that window', schema: { type: 'integer' } },
  RateLimitReset: {
    description: 'Unix seconds at which one more call becomes available',
    schema: { type: 'integer' },
  },
  RequestId: { description: 'ID of this request in the log', schema: { type: 'string' } },
};

const requestIdHeader: Json = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
const apiHeaders: Json = {
  ...requestIdHeader,
  'X-RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'X-RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'X-RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
};

/** Serves the OpenAPI 3.1 document built from the schemas of all routes. Register it before any route. */
export async function addOpenApi(app: AreaApp, { version }: { version: string }): Promise<void> {
  app.addHook('onRoute', nameCheck());
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tilth',
        version,
        description:
          'Dataset and data preparation service. Paths are relative to the server that serves this document.',
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: app.basePath || '/' }],
      components: { securitySchemes, headers } as never,
    },
    convertConstToEnum: false,
    transform: ({ schema, url, route }) => ({
      schema: describe(
        withStreamBody(
          withBodyLimit(schema as FastifySchema | undefined, route.bodyLimit ?? defaultJsonBytes),
          route.config?.streamBody,
        ),
        url,
        route.config?.access,
      ),
      url,
    }),
    transformObject: (document) =>
      completeDocument(('openapiObject' in document ? document.openapiObject : {}) as Json) as never,
  });
  let rendered: string | undefined;
  app.get(
    openApiPath,
    {
      config: { access: 'PUBLIC' },
      schema: { operationId: 'getOpenApi', summary: 'This document', tags: ['Service'] },
    },
    async (_request, reply) => {
      reply.header('content-type', 'application/json; charset=utf-8').header('cache-control', 'no-cache');
      rendered ??= JSON.stringify(app.swagger());
      return rendered;
    },
  );
}

/**
 * Refuses routes without an operationId, or with a duplicate one, at startup: generated clients name their functions by
 * it.
 */
function nameCheck(): (route: RouteOptions) => void {
  const owners = new Map<string, string>();
  return ({ method, url, schema }) => {
    // Fastify adds a HEAD to each GET; the document omits it, like hidden routes.
    if (method === 'HEAD' || schema?.hide === true) return;
    const route = `${String(method)} ${url}`;
    const { operationId } = schema ?? {};
    if (operationId === undefined) throw new Error(`The route ${route} has no operationId`);
    if (!/^[a-z][A-Za-z0-9]*$/.test(operationId))
      throw new Error(`The operationId ${operationId} of ${route} is not in camelCase`);
    const owner = owners.get(operationId);
    if (owner !== undefined) throw new Error(`${route} and ${owner} have the same operationId ${operationId}`);
    owners.set(operationId, route);
  };
}

/** Documents the size limit of a route's JSON body: in words, and for programs in `x-body-limit`. */
function withBodyLimit(schema: FastifySchema | undefined, bytes: number): FastifySchema | undefined {
  if (schema?.body === undefined) return schema;
  const { description } = schema as { description?: string };
  const limit = `The body has at most ${sizeInWords(bytes)}.`;
  const limited = {
    description: description === undefined ? limit : `${description}\n\n${limit}`,
    'x-body-limit': bytes,
  };
  return { ...schema, ...limited };
}

/** A body that the handler reads itself has a schema for the documentation only. */
function withStreamBody(
  schema: FastifySchema | undefined,
  body: FastifyContextConfig['streamBody'],
): FastifySchema | undefined {
  if (body === undefined) return schema;
  if (body.orJson === undefined) return { ...schema, consumes: [body.contentType], body: body.schema };
  const content = { [body.contentType]: { schema: body.schema }, 'application/json': { schema: body.orJson } };
  return { ...schema, body: { content } };
}

/** The error statuses of an operation, passed from its route to the whole document. */
const errorStatusesKey = 'x-error-statuses';

/** Adds what all routes share, so that routes need not repeat it: errors and security. */
function describe(schema: FastifySchema | undefined, url: string, access: Access | undefined): FastifySchema {
  if (!url.startsWith(`${apiPrefix}/`)) return { ...schema, security: [] };
  const security = access === 'PUBLIC' ? [] : [{ bearer: [] }, { apiKey: [] }];
  const role = access === 'PUBLIC' ? 'Needs no credential.' : `Needs the role ${access}.`;
  const { description } = (schema ?? {}) as { description?: string };
  const note = { [errorStatusesKey]: errorStatuses(schema, url, access) };
  return {
    ...schema,
    description: description === undefined ? role : `${description}\n\n${role}`,
    response: schema?.response ?? { 200: { type: 'object' } },
    security,
    ...note,
  };
}

function errorStatuses(schema: FastifySchema | undefined, url: string, access: Access | undefined): number[] {
  const statuses = [429, 500, 503];
  const hasBody = schema?.body !== undefined;
  if (hasBody || schema?.querystring !== undefined || schema?.params !== undefined) statuses.push(400);
  if (hasBody) statuses.push(413, 415, 507);
  if (access !== 'PUBLIC' || url.endsWith('/login')) statuses.push(401);
  if (access !== 'PUBLIC') statuses.push(403);
  if (hasBody || url.includes(':')) statuses.push(404, 409);
  return statuses;
}

/** What the schemas of single routes can't express: names, errors, headers of every answer, and optional fields. */
function completeDocument(document: Json): Json {
  const named = createNamedSchemas();
  const responses: Json = {};
  for (const [path, operations] of Object.entries((document.paths ?? {}) as Record<string, Record<string, Json>>)) {
    const isApi = path.startsWith(`${apiPrefix}/`);
    for (const operation of Object.values(operations)) {
      const where = String(operation.operationId);
      for (const parameter of (operation.parameters ?? []) as Json[]) {
        if (parameter.required === false || hasDefault(parameter.schema)) delete parameter.required;
        parameter.schema = named.refer(parameter.schema, `${where}, parameter ${String(parameter.name)}`);
      }
      const { content = {} } = (operation.requestBody ?? {}) as { content?: Record<string, Json> };
      for (const body of Object.values(content)) body.schema = named.refer(body.schema, `${where}, body`);
      const answers = operation.responses as Record<string, Json>;
      for (const [status, answer] of Object.entries(answers))
        completeAnswer(answer, status, named, `${where}, answer ${status}`, isApi);
      for (const status of (operation[errorStatusesKey] ?? []) as number[])
        answers[status] ??= errorReference(status, path, named, responses);
      delete operation[errorStatusesKey];
    }
  }
  Object.assign(document.components as Json, { schemas: named.list(), responses });
  return document;
}

function completeAnswer(answer: Json, status: string, named: NamedSchemas, where: string, isApi: boolean): void {
  if (answer.description === 'Default Response') answer.description = STATUS_CODES[status] ?? '';
  answer.headers = { ...(answer.headers as Json | undefined), ...(isApi ? apiHeaders : requestIdHeader) };
  for (const content of Object.values((answer.content ?? {}) as Record<string, Json>))
    content.schema = named.refer(content.schema, where);
}

/** The shared response of an error status: one for each of the two error shapes. */
function errorReference(status: number, path: string, named: NamedSchemas, responses: Json): Json {
  const [prefix, schema] = hasDataManagementErrors(path)
    ? ['DataManagement', DataManagementErrorSchema]
    : ['', ServiceErrorSchema];
  const name = `${prefix}${(STATUS_CODES[status] ?? '').replaceAll(' ', '')}`;
  responses[name] ??= {
    description: statusMeanings[status] ?? '',
    headers: apiHeaders,
    content: { 'application/json': { schema: named.refer(plain(schema), `the error ${status}`) } },
  };
  return { $ref: `#/components/responses/${name}` };
}

function plain(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}
