import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify';
import { apiPrefix, hasDataManagementErrors } from './error-answer.ts';
import { defaultJsonBytes, sizeInWords } from './json-body.ts';
import type { Access, AreaApp } from './routes.ts';

export const openApiPath = `${apiPrefix}/openapi.json`;

type Json = Record<string, unknown>;

const statusMeanings: Readonly<Record<string, string>> = {
  400: 'A parameter is invalid',
  401: 'No valid credential',
  403: 'The role does not allow this call',
  404: 'Something that the call names does not exist',
  409: 'The current state does not allow this',
  413: 'Too large',
  415: 'Wrong media type',
  429: 'A rate limit is used up',
  500: 'The service failed',
  503: 'Overloaded or shutting down',
  507: 'Out of storage',
};

const timestamps: Json = { timestamp: { type: 'string', format: 'date-time' }, path: { type: 'string' } };

const components: Json = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  },
  schemas: {
    Error: {
      title: 'Error',
      description: 'Errors everywhere but under /data-management',
      type: 'object',
      required: ['code', 'message', 'error', 'timestamp', 'path'],
      properties: {
        code: { type: 'integer', description: 'HTTP status' },
        message: { type: 'string', description: 'Status text' },
        error: { type: 'string', description: 'What is wrong' },
        ...timestamps,
      },
    },
    DataManagementError: {
      title: 'DataManagementError',
      description: 'Errors under /data-management',
      type: 'object',
      required: ['error', 'message', 'timestamp', 'path'],
      properties: {
        error: { type: 'string', description: 'Identifier', pattern: '^[A-Z][A-Z0-9_]*$' },
        message: { type: 'string', description: 'What is wrong' },
        ...timestamps,
      },
    },
  },
  headers: {
    RateLimitLimit: { description: 'Limit of the window with fewer calls remaining', schema: { type: 'integer' } },
    RateLimitRemaining: { description: 'Calls remaining in it', schema: { type: 'integer' } },
    RateLimitReset: {
      description: 'Unix seconds at which the oldest counted call leaves it and one more fits',
      schema: { type: 'integer' },
    },
    RequestId: { description: 'Id of this request in the log', schema: { type: 'string' } },
  },
};

const requestIdHeader: Json = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
const rateHeaders: Json = {
  'X-RateLimit-Limit': { $ref: '#/components/headers/RateLimitLimit' },
  'X-RateLimit-Remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'X-RateLimit-Reset': { $ref: '#/components/headers/RateLimitReset' },
};

/** Serves the OpenAPI 3.1 document that is made of the schemas of all routes. Register it before any route. */
export async function addOpenApi(app: AreaApp, { version }: { version: string }): Promise<void> {
  app.addHook('onRoute', nameCheck());
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tilth',
        version,
        description:
          'Dataset and data-preparation service. Paths are relative to the server that serves this document.',
        license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      components: components as never,
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
      completeOperations(('openapiObject' in document ? document.openapiObject : {}) as Json) as never,
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
 * Generated clients name their functions by it, so a route without an operationId, or with that of another one, keeps the
 * service from starting.
 */
function nameCheck(): (route: RouteOptions) => void {
  const owners = new Map<string, string>();
  return ({ method, url, schema }) => {
    // Fastify adds a HEAD to each GET; the document leaves it out, as it does with what is hidden.
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

/** Says how large the JSON body of a route may be: in words, and for programs in `x-body-limit`. */
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

/** A body that the handler reads itself has no schema to be validated by, but one to be shown. */
function withStreamBody(
  schema: FastifySchema | undefined,
  body: FastifyContextConfig['streamBody'],
): FastifySchema | undefined {
  return body === undefined ? schema : { ...schema, consumes: [body.contentType], body: body.schema };
}

/** Adds what holds for every route, so that routes need not repeat it: errors and security. */
function describe(schema: FastifySchema | undefined, url: string, access: Access | undefined): FastifySchema {
  if (!url.startsWith(`${apiPrefix}/`)) return { ...schema, security: [] };
  const shape = hasDataManagementErrors(url) ? 'DataManagementError' : 'Error';
  const declared = (schema?.response ?? { 200: { type: 'object', description: 'Success' } }) as Json;
  const response: Json = { ...declared };
  for (const status of errorStatuses(schema, url, access)) {
    response[status] ??= {
      description: statusMeanings[status] ?? '',
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${shape}` } } },
    };
  }
  const security = access === 'PUBLIC' ? [] : [{ bearer: [] }, { apiKey: [] }];
  const role = access === 'PUBLIC' ? 'Needs no credential.' : `Needs the role ${access}.`;
  const { description } = (schema ?? {}) as { description?: string };
  return {
    ...schema,
    description: description === undefined ? role : `${description}\n\n${role}`,
    response,
    security,
  };
}

function errorStatuses(schema: FastifySchema | undefined, url: string, access: Access | undefined): string[] {
  const statuses = ['429', '500', '503'];
  const hasBody = schema?.body !== undefined;
  if (hasBody || schema?.querystring !== undefined || schema?.params !== undefined) statuses.push('400');
  if (hasBody) statuses.push('413', '415', '507');
  if (access !== 'PUBLIC' || url.endsWith('/login')) statuses.push('401');
  if (access !== 'PUBLIC') statuses.push('403');
  if (hasBody || url.includes(':')) statuses.push('404', '409');
  return statuses;
}

/** What the schemas of single routes can't say: headers of every answer, and that whatever has a default may be left out. */
function completeOperations(document: Json): Json {
  for (const [path, operations] of Object.entries((document.paths ?? {}) as Record<string, Record<string, Json>>)) {
    for (const operation of Object.values(operations)) {
      for (const answer of Object.values((operation.responses ?? {}) as Record<string, Json>)) {
        const shared = path.startsWith(`${apiPrefix}/`) ? { ...requestIdHeader, ...rateHeaders } : requestIdHeader;
        answer.headers = { ...(answer.headers as Json | undefined), ...shared };
      }
      for (const parameter of (operation.parameters ?? []) as Json[])
        if (hasDefault(parameter.schema)) delete parameter.required;
      const { content = {} } = (operation.requestBody ?? {}) as { content?: Record<string, Json> };
      for (const body of Object.values(content)) body.schema = withoutDefaultsRequired(body.schema);
    }
  }
  return document;
}

function hasDefault(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'default' in schema;
}

/** A copy of a schema in which no object requires a property that has a default. */
function withoutDefaultsRequired(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDefaultsRequired);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withoutDefaultsRequired(value)]));
  const { required, properties } = copy as { required?: unknown; properties?: Json };
  if (!Array.isArray(required) || properties === undefined) return copy;
  copy.required = required.filter((name) => !hasDefault(properties[String(name)]));
  return copy;
}
