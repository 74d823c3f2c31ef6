import assert from 'node:assert/strict';
import { STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import { Check, Errors } from 'typebox/schema';
import type { Static, TSchema } from 'typebox';
import type { HttpAnswer } from './http-exchange.ts';
import { DataManagementError, GeneralError } from './shapes.ts';

/** A response of the service with assertions for tests. */
export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Returns one header; fails if it is missing. */
  header(name: string): string;
  json(): unknown;
  /** Expects this status and a body of this shape; returns the body. */
  is<S extends TSchema>(status: number, shape: S): Static<S>;
  /** Expects this status and no body. */
  isEmpty(status?: number): void;
  /** Expects an error of this status in the shape of its area, with this error code and these words in the message. */
  fails(status: number, code?: string, ...mentions: string[]): void;
};

/** Every error code of data management. */
const identifiers = new Set([
  'INVALID_PARAMETER',
  'CHECKSUM_MISMATCH',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'DATASET_NOT_FOUND',
  'FILE_NOT_FOUND',
  'UPLOAD_NOT_FOUND',
  'TAG_NOT_FOUND',
  'VERSION_NOT_FOUND',
  'SHEET_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'DATASET_ARCHIVED',
  'DATASET_BUSY',
  'FILE_ALREADY_EXISTS',
  'DIRECTORY_ALREADY_EXISTS',
  'TAG_ALREADY_EXISTS',
  'UPLOAD_CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RANGE_NOT_SATISFIABLE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
  'INSUFFICIENT_STORAGE',
  // In addition to the contract's list: a file that is PROCESSING or ERROR can't be downloaded, and not every file is a table; a
  // query can be wrong, refused or cancelled; a version can't be restored during other writes; If-Match names other content.
  'FILE_NOT_COMPLETED',
  'NOT_A_TABLE',
  'FILE_NOT_IN_VERSION',
  'SQL_INVALID',
  'SQL_REFUSED',
  'QUERY_RUNNING',
  'QUERY_NOT_FOUND',
  'QUERY_CANCELLED',
  'DATASET_WRITTEN',
  'UPLOAD_OPEN',
  'PRECONDITION_FAILED',
]);

/** Words that would expose the internals of the service in a body. */
const insides =
  /\n\s+at |node_modules|\.ts:\d|SQLITE|sqlite|syntax error at or near|select .+ from |insert into|\/tmp\/|ENOENT|EACCES/;

const apiPrefix = '/api/v1';
const dataManagementPrefix = `${apiPrefix}/data-management`;

export function toAnswer(method: string, path: string, { status, headers, bytes }: HttpAnswer): Answer {
  const what = `${method} ${path.length > 300 ? `${path.slice(0, 300)}…` : path}`;
  const text = bytes.toString('utf8');
  const shown = `${what} → ${status} ${text.slice(0, 600)}`;

  const json = (): unknown => {
    assert.match(String(headers['content-type']), /^application\/json\b/, shown);
    return JSON.parse(text);
  };

  const is = <S extends TSchema>(wanted: number, shape: S): Static<S> => {
    assert.equal(status, wanted, shown);
    const body = json();
    if (!Check(shape, body)) {
      assert.fail(`${shown}\nis not of the shape: ${JSON.stringify(Errors(shape, body)[1].slice(0, 4))}`);
    }
    return body;
  };

  return {
    status,
    headers,
    bytes,
    header(name) {
      const value = headers[name.toLowerCase()];
      assert.equal(typeof value, 'string', `${what} → ${status} has no ${name}: ${JSON.stringify(headers)}`);
      return String(value);
    },
    json,
    is,
    isEmpty(wanted = 204) {
      assert.equal(status, wanted, shown);
      assert.equal(bytes.length, 0, `${shown} has a body`);
    },
    fails(wanted, code, ...mentions) {
      assert.equal(status, wanted, shown);
      const inDataManagement = isDataManagement(path);
      const words = inDataManagement ? is(wanted, DataManagementError).message : is(wanted, GeneralError).error;
      if (inDataManagement && code !== undefined) assert.equal(is(wanted, DataManagementError).error, code, shown);
      for (const mention of mentions) assert.ok(words.includes(mention), `${shown}\ndoes not mention ${mention}`);
    },
  };
}

/** The statuses of concurrent calls, in ascending order. */
export function sortedStatuses(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status).sort((a, b) => a - b);
}

/** Assertions that hold for every response of the API; applied to each one that a test receives. */
export function checkEveryAnswer(path: string, answer: Answer, dataDirectory: string | undefined): void {
  const shown = `${path.slice(0, 300)} → ${answer.status} ${answer.bytes.toString('utf8', 0, 600)}`;
  assert.ok(answer.header('X-Request-Id').length > 0, `${shown}: empty X-Request-Id`);
  assert.notEqual(answer.status, 500, shown);
  if (answer.status < 400 || !path.startsWith(apiPrefix)) return;
  const body = answer.json();
  if (isDataManagement(path)) {
    assert.ok(Check(DataManagementError, body), `${shown}: not the error shape of data management`);
    assert.ok(identifiers.has(body.error), `${shown}: not an identifier of the contract`);
    assert.ok(!('code' in body), `${shown}: data management's errors have no code`);
    assert.equal(body.path, withoutQuery(path), shown);
  } else {
    assert.ok(Check(GeneralError, body), `${shown}: not the general error shape`);
    assert.equal(body.code, answer.status, shown);
    assert.equal(body.message, STATUS_CODES[answer.status], shown);
    assert.equal(body.path, withoutQuery(path), shown);
  }
  const text = answer.bytes.toString('utf8').replace(JSON.stringify(withoutQuery(path)).slice(1, -1), '');
  assert.doesNotMatch(text, insides, shown);
  if (dataDirectory !== undefined) assert.ok(!text.includes(dataDirectory), `${shown}: shows a path of the server`);
  if (answer.status === 401) answer.header('WWW-Authenticate');
  if (answer.status === 405) answer.header('Allow');
  if (answer.status === 429) assert.match(answer.header('Retry-After'), /^[1-9]\d*$/);
}

function isDataManagement(path: string): boolean {
  return withoutQuery(path) === dataManagementPrefix || path.startsWith(`${dataManagementPrefix}/`);
}

function withoutQuery(path: string): string {
  const query = path.indexOf('?');
  return query === -1 ? path : path.slice(0, query);
}
