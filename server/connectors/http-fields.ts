import { Type } from 'typebox';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import { ReasonedError, reasonOf } from '../kernel/reasoned-error.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import { configProblems } from './sentences.ts';
import type { SchemaProblem } from '../kernel/schema-problem.ts';
import { recordOf } from '../kernel/record-schema.ts';

/** A secret field of a configuration: stored encrypted, never returned. */
export function secret(description: string, maxLength = 4000) {
  return Type.Optional(
    Type.Unsafe<string | null>({ type: ['string', 'null'], writeOnly: true, maxLength, description }),
  );
}

/** A secret of several lines, such as a private key. */
export function secretLines(description: string, maxLength = 4000) {
  return Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      writeOnly: true,
      contentMediaType: 'text/plain',
      maxLength,
      description,
    }),
  );
}

/** Fields of all connectors that speak HTTP. */
export const httpFields = {
  headers: Type.Optional(
    recordOf(Type.String({ maxLength: 4000 }), {
      maxProperties: 50,
      description: 'Headers sent with every request. Everyone can see them: put credentials in the fields below',
    }),
  ),
  bearerToken: secret('Sent as Authorization: Bearer …'),
  username: Type.Optional(Type.String({ maxLength: 200, description: 'User name for basic authentication' })),
  password: secret('Password for basic authentication'),
  secretHeaders: secretLines('Headers that are not shown, one per line: X-API-Key: …'),
};

const hidden = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key']);
/** Valid values of a header (RFC 9110). */
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;
const uncontrolled = /^[^\p{Cc}]*$/u;
/** Set by the service. */
const reserved = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'range', 'if-range']);

export type HttpConfig = {
  headers?: Readonly<Record<string, string>>;
  bearerToken?: string | null;
  username?: string;
  password?: string | null;
  secretHeaders?: string | null;
};

/** What is wrong with the fields of `httpFields`; undefined if nothing is. */
export function findHttpProblem({
  headers = {},
  secretHeaders,
  bearerToken,
  username,
  password,
}: HttpConfig): SchemaProblem | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (hidden.has(name.toLowerCase()))
      return {
        field: `headers.${name}`,
        problem: configProblems.WOULD_BE_SHOWN.reason({}),
      };
    const problem = headerProblem(name, value);
    if (problem !== undefined) return { field: `headers.${name}`, problem };
  }
  if (isGiven(bearerToken) && isGiven(username))
    return { field: 'bearerToken', problem: parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'username' }) };
  try {
    parseHeaderLines(secretHeaders ?? '');
  } catch (error) {
    return { field: 'secretHeaders', problem: reasonOf(error as Error) };
  }
  return findCredentialProblem({ bearerToken, username, password });
}

/**
 * The first credential that can not be sent, because of a control character or a character that headers do not allow.
 */
export function findCredentialProblem(
  fields: Readonly<Record<string, string | null | undefined>>,
): SchemaProblem | undefined {
  for (const [field, value] of Object.entries(fields)) {
    // These are Base64-encoded first and may have any other character (RFC 7617).
    const isPacked = field === 'username' || field === 'password';
    if (isGiven(value) && !(isPacked ? uncontrolled : headerText).test(value ?? ''))
      return { field, problem: configProblems.CAN_NOT_BE_SENT.reason({}) };
  }
  return undefined;
}

/** All headers of a request, including credentials. */
export function headersOf(config: HttpConfig): Readonly<Record<string, string>> {
  return {
    'user-agent': 'tilth',
    ...lowerNames(config.headers ?? {}),
    ...parseHeaderLines(config.secretHeaders ?? ''),
  };
}

/** What is wrong with the URL of a source; undefined if nothing is. */
export function findUrlProblem(text: string): Reason | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return parameterProblems.MUST_BE_HTTP_URL.reason({});
  if (url.username !== '' || url.password !== '') return configProblems.MUST_HOLD_NO_CREDENTIALS.reason({});
  return undefined;
}

function isGiven(value: string | null | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

function parseHeaderLines(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    const [name, value] = [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    // The message does not quote the line: it is a secret.
    if (colon <= 0 || headerProblem(name, value) !== undefined)
      throw new ReasonedError(configProblems.MUST_BE_HEADERS.reason({}));
    headers[name] = value;
  }
  return headers;
}

function headerProblem(name: string, value: string): Reason | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return configProblems.IS_NO_HEADER.reason({});
  if (reserved.has(name.toLowerCase())) return configProblems.IS_SET_BY_SERVICE.reason({});
  return headerText.test(value) ? undefined : configProblems.CAN_NOT_BE_SENT.reason({});
}

function lowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
