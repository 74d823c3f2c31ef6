import { Compile } from 'typebox/schema';
import { target, withoutReferences } from '../support/schema-references.ts';

type Json = Record<string, unknown>;

/** One operation of the service's own OpenAPI document. */
export type Operation = {
  method: string;
  /** Path template as in the document, with the server's prefix: `/api/v1/…/{datasetId}`. */
  path: string;
  summary: string;
  isPublic: boolean;
  parameters: readonly { name: string; in: string; required: boolean; schema: Json }[];
  bodyTypes: readonly string[];
  bodySchema: Json | undefined;
  responses: ReadonlyMap<string, Json | undefined>;
};

export type OpenApiDocument = {
  raw: Json;
  operations: readonly Operation[];
  find(method: string, path: string): Operation | undefined;
  /** How a response differs from the document, in either direction; undefined if they agree. */
  disagreement(
    method: string,
    path: string,
    status: number,
    contentType: string,
    body: () => unknown,
  ): string | undefined;
};

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Reads the operations of an OpenAPI 3.1 document and checks responses against them. */
export function readOpenApi(raw: Json): OpenApiDocument {
  const prefix = serverPrefix(raw);
  const components = record(raw['components']);
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(record(raw['paths']))) {
    const fullPath = path.startsWith('/api/') ? path : prefix + path;
    for (const method of methods) {
      const operation = record(item)[method];
      if (operation !== undefined) operations.push(readOperation(raw, method, fullPath, record(operation)));
    }
  }
  const matchers = operations.map((operation) => ({ operation, pattern: patternOf(operation.path) }));
  const literalFirst = matchers.sort((a, b) => placeholders(a.operation.path) - placeholders(b.operation.path));
  const validators = new Map<Json, ReturnType<typeof Compile>>();

  const find = (method: string, path: string): Operation | undefined =>
    literalFirst.find(
      ({ operation, pattern }) => operation.method === method.toUpperCase() && pattern.test(withoutQuery(path)),
    )?.operation;

  return {
    raw,
    operations,
    find,
    disagreement(method, path, status, contentType, body) {
      const operation = find(method, path);
      if (operation === undefined) return undefined;
      const where = `${operation.method} ${operation.path} ${status}`;
      const key = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find((key) =>
        operation.responses.has(key),
      );
      if (key === undefined) return `${where}: the document lists only ${[...operation.responses.keys()].join(', ')}`;
      const schema = operation.responses.get(key);
      if (schema === undefined || !/^application\/json\b/.test(contentType)) return undefined;
      let validator = validators.get(schema);
      if (validator === undefined) {
        validator = Compile({ ...schema, components });
        validators.set(schema, validator);
      }
      const value = body();
      // Collecting errors resolves each reference again at each value, which takes a hundred times as long.
      if (validator.Check(value)) return undefined;
      return `${where}: ${JSON.stringify(validator.Errors(value)[1].slice(0, 3))}`;
    },
  };
}

function readOperation(raw: Json, method: string, path: string, operation: Json): Operation {
  const responses = new Map<string, Json | undefined>();
  for (const [status, response] of Object.entries(record(operation['responses']))) {
    const content = record(resolve(raw, response)['content']);
    const json = Object.entries(content).find(([type]) => type.includes('json'))?.[1];
    const schema = record(json)['schema'];
    responses.set(status, schema === undefined ? undefined : record(schema));
  }
  const body = record(resolve(raw, operation['requestBody'])['content']);
  const [bodyContent] = Object.values(body);
  const bodySchema = record(bodyContent)['schema'];
  const parameters = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
  const security = operation['security'] ?? raw['security'];
  return {
    method: method.toUpperCase(),
    path,
    summary: textOf(operation['summary']),
    isPublic: !Array.isArray(security) || security.length === 0,
    parameters: parameters.map((parameter) => {
      const { name, in: place, required, schema } = resolve(raw, parameter);
      return {
        name: String(name),
        in: String(place),
        required: required === true,
        schema: withoutReferences(raw, schema),
      };
    }),
    bodyTypes: Object.keys(body),
    bodySchema: bodySchema === undefined ? undefined : withoutReferences(raw, bodySchema),
    responses,
  };
}

function serverPrefix(raw: Json): string {
  const servers = Array.isArray(raw['servers']) ? raw['servers'] : [];
  const url = textOf(record(servers[0])['url']);
  const path = url.replace(/^https?:\/\/[^/]+/, '');
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function patternOf(template: string): RegExp {
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{[^}]+\}/g, '[^/]+')}$`);
}

function placeholders(path: string): number {
  return path.split('{').length;
}

function withoutQuery(path: string): string {
  const query = path.indexOf('?');
  return query === -1 ? path : path.slice(0, query);
}

function resolve(raw: Json, value: unknown): Json {
  const reference = record(value)['$ref'];
  return typeof reference === 'string' ? target(raw, reference) : record(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
