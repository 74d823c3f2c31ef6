import { isIP, type Socket } from 'node:net';
import pg from 'pg';
import { Type } from 'typebox';
import { OutgoingError } from '../outgoing/index.ts';
import { defineConnector, SourceError, type Effects, type RowSet } from './connector.ts';
import { parseExactly } from './exact-json.ts';
import { secret } from './http-fields.ts';
import { safePath } from './safe-path.ts';
import { sampleCellLength } from './sample.ts';
import {
  allRows,
  findSqlProblem,
  innerQuery,
  newRows,
  sqlFields,
  sqlNameOf,
  type SqlPosition,
  type SqlRow,
  type SqlSource,
} from './sql-rows.ts';

const rowsAtOnce = 5000;
const sampleRows = 5;
/** A server that sends nothing for this long is given up. */
const answerMs = 600_000;

type Config = SqlSource & {
  host: string;
  port: number;
  database: string;
  user: string;
  password?: string | null;
  tls: boolean;
  certificateAuthority?: string;
};

export const postgresql = defineConnector({
  type: 'postgresql',
  name: 'PostgreSQL',
  description:
    'Reads a table, view or query in one read-only transaction, with a cursor: any size in constant memory. Numbers keep all digits, arrays and JSON stay what they are, bytea becomes hexadecimal. Give it a user that may only SELECT. Continued by a column, rows that other transactions commit later under a lower value are missed.',
  incremental: true,
  config: Type.Object({
    host: Type.String({ minLength: 1, maxLength: 255 }),
    port: Type.Integer({ default: 5432, minimum: 1, maximum: 65_535 }),
    database: Type.String({ minLength: 1, maxLength: 200 }),
    user: Type.String({ minLength: 1, maxLength: 200 }),
    password: secret('Password of the user'),
    tls: Type.Boolean({ default: false, description: "Encrypt the connection and check the server's certificate" }),
    certificateAuthority: Type.Optional(
      Type.String({
        maxLength: 20_000,
        description: 'PEM of the authority that signed the certificate, if it is an own one',
      }),
    ),
    ...sqlFields,
  }),

  validate: findSqlProblem,
  destinationsOf: ({ host, port, tls }) => [`${host}:${port}${tls ? ' with TLS' : ''}`],

  async check(config, effects) {
    return withClient(config, effects, async (client) => {
      const source = sourceOf(client, config);
      await columnsOf(client, source, config.incrementalColumn);
      // The server cuts long cells: a row may be larger than a text can be here.
      const cell = `case when length(value::text) <= ${sampleCellLength} then value else to_json(left(value #>> '{}', ${sampleCellLength + 1})) end`;
      const { rows } = await ask<[string | null]>(
        client,
        `select (select json_object_agg(key, ${cell}) from json_each(row_to_json(q)))::text from ${source} as q limit ${sampleRows}`,
      );
      const sample = rows.map(([line]) => parseExactly(line ?? '{}') as Record<string, unknown>);
      return {
        message: sample.length === 0 ? 'The source can be read; it has no rows' : 'The rows can be read',
        sample,
      };
    });
  },

  async *read(config, effects) {
    const name = sqlNameOf(config);
    const { host, port, database, table, query, incrementalColumn } = config;
    const set: RowSet = {
      kind: 'rows',
      key: JSON.stringify([host, port, database, table ?? query, incrementalColumn ?? null]),
      name,
      path: safePath([name]),
      isIncremental: incrementalColumn !== undefined,
      read: (position) => readRows(config, effects, position as SqlPosition | undefined),
    };
    yield set;
  },
});

async function* readRows(config: Config, effects: Effects, start: SqlPosition | undefined) {
  const client = await openClient(config, effects);
  try {
    // One snapshot: a row is neither read twice nor missed while others write.
    await ask(client, 'begin transaction isolation level repeatable read read only');
    const source = sourceOf(client, config);
    const { incrementalColumn } = config;
    const columns = await columnsOf(client, source, incrementalColumn);
    if (incrementalColumn === undefined) {
      await ask(client, `declare rows no scroll cursor for select row_to_json(q)::text, null from ${source} as q`);
      return yield* allRows(pagesOf(client));
    }
    const column = `q.${client.escapeIdentifier(incrementalColumn)}`;
    const type = await typeOf(client, source, column);
    const isOrdered = endless.test(type)
      ? `(${column} is not null and ${column}::text not in (${unordered.map((value) => `'${value}'`).join(', ')}))`
      : `(${column} is not null)`;
    if (start !== undefined && endless.test(type) && unordered.includes(start.value))
      throw new SourceError(`the earlier run ended at ${start.value}, which nothing follows; run from the start`);
    const count = await countUnordered(client, source, isOrdered);
    const from =
      start === undefined
        ? ''
        : `where ${column} ${start.seen === null ? '>' : '>='} ${client.escapeLiteral(start.value)}::${type} and ${isOrdered}`;
    // Values to continue by come last: a run that breaks off has read the others.
    const order = start === undefined && count !== '0' ? `${isOrdered}, ${column}` : column;
    await ask(
      client,
      `declare rows no scroll cursor for select row_to_json(q)::text, case when ${isOrdered} then ${column}::text end from ${source} as q ${from} order by ${order}`,
    );
    const log = (message: string): Promise<void> => effects.log('WARN', message);
    if (start !== undefined && count !== '0')
      await log(
        `${count} rows have no value in ${incrementalColumn}; only a run from the start reads them (infinity and NaN are no values to continue by)`,
      );
    yield* newRows(pagesOf(client), { start, columns, log });
  } catch (error) {
    throw explain(error, config, effects.signal);
  } finally {
    closeClient(client);
  }
}

async function* pagesOf(client: pg.Client): AsyncGenerator<readonly SqlRow[]> {
  for (;;) {
    const { rows } = await ask<[string, string | null]>(client, `fetch forward ${rowsAtOnce} from rows`);
    if (rows.length === 0) return;
    // A column of type json keeps its white space, of which no line feed may remain.
    yield rows.map(([line, value]) => [
      line.includes('\n') || line.includes('\r') ? line.replaceAll(/[\r\n]/g, ' ') : line,
      value,
    ]);
  }
}

/** The names of the columns; a JSON object has each only once. */
async function columnsOf(client: pg.Client, source: string, wanted: string | undefined): Promise<string[]> {
  const { fields } = await ask(client, `select * from ${source} as q limit 0`);
  const names = fields.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new SourceError(`the query has two columns named ${twice}; give one of them another name with AS`);
  if (wanted !== undefined && !names.includes(wanted)) throw new SourceError(`there is no column ${wanted}`);
  return names;
}

async function typeOf(client: pg.Client, source: string, column: string): Promise<string> {
  const { fields } = await ask(client, `select ${column} from ${source} as q limit 0`);
  const { rows } = await ask<[string]>(client, `select format_type(${fields[0]?.dataTypeID ?? 0}, null)`);
  return rows[0]?.[0] ?? 'text';
}

/** Types with values that nothing follows, or that follow nothing. */
const endless = /^(?:real|double precision|numeric|date|timestamp)/;
const unordered = ['infinity', '-infinity', 'Infinity', '-Infinity', 'NaN'];

/** Rows without a value to continue by come once, with the first run; later ones would never be read without anybody noticing. */
async function countUnordered(client: pg.Client, source: string, isOrdered: string): Promise<string> {
  const { rows } = await ask<[string]>(client, `select count(*)::text from ${source} as q where not ${isOrdered}`);
  return rows[0]?.[0] ?? '0';
}

function sourceOf(client: pg.Client, { table, query }: SqlSource): string {
  if (query !== undefined) return `(${innerQuery(query)}\n)`;
  return (table ?? '')
    .split('.')
    .map((part) => client.escapeIdentifier(part))
    .join('.');
}

/** One statement by the extended protocol, which takes no second one after a semicolon. */
async function ask<R extends unknown[]>(client: pg.Client, text: string): Promise<pg.QueryArrayResult<R>> {
  const query = { text, rowMode: 'array' as const, queryMode: 'extended' };
  return client.query<R>(query);
}

async function withClient<T>(config: Config, effects: Effects, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openClient(config, effects);
  try {
    await ask(client, 'begin transaction isolation level repeatable read read only');
    return await work(client);
  } catch (error) {
    throw explain(error, config, effects.signal);
  } finally {
    closeClient(client);
  }
}

async function openClient(config: Config, { outgoing, signal }: Effects): Promise<pg.Client> {
  const { host, port, database, user, password, tls, certificateAuthority } = config;
  // With an address, the driver would accept a certificate of localhost.
  if (tls && isIP(host) !== 0)
    throw new SourceError(
      `the TLS connection to PostgreSQL at ${host}:${port} needs the server's name, not an address`,
    );
  const socket = await outgoing.connect({ host, port, signal });
  const client = new pg.Client({
    host,
    port,
    database,
    user,
    password: password ?? '',
    application_name: 'tilth',
    query_timeout: answerMs,
    stream: () => connected(socket),
    ...(tls
      ? {
          ssl: {
            rejectUnauthorized: true,
            ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
          },
        }
      : {}),
  });
  // Without a listener, a connection that breaks between two statements would end the process.
  client.on('error', () => {});
  const stop = (): void => void socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', stop));
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    throw explain(error, config, signal);
  }
  return client;
}

/** A socket that is open already, for a driver that wants to open it. */
function connected(socket: Socket): Socket {
  socket.connect = () => {
    queueMicrotask(() => socket.emit('connect'));
    return socket;
  };
  return socket;
}

/** Does not wait for the server: it may be the one that does not answer. */
function closeClient(client: pg.Client): void {
  client.end().catch(() => {});
}

function explain(error: unknown, { host, port, user, database }: Config, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof SourceError || error instanceof OutgoingError) return error;
  const { code, message } = error as { code?: unknown; message: string };
  const where = `PostgreSQL at ${host}:${port}`;
  const say = (text: string): SourceError => new SourceError(text, { cause: error });
  switch (code) {
    case '28P01':
    case '28000':
      return say(`${where} refuses the user ${user} or the password: ${message}`);
    case '3D000':
      return say(`${where} has no database ${database}`);
    case '57P01':
    case '57P02':
    case '57P03':
      return say(`${where} is shutting down or starting: ${message}`);
    case '25006':
      return say(`${where}: the query would change something, which is not allowed: ${message}`);
    case 'ECONNRESET':
    case 'EPIPE':
      return say(`${where} closed the connection`);
  }
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return say(`${where}: ${message} (${code})`);
  if (/certificate|TLS|SSL|tls/.test(`${String(code)} ${message}`))
    return say(`the TLS connection to ${where} failed: ${message}`);
  return say(`${where} can not be read: ${message}`);
}
