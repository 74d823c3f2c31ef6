import { isIP } from 'node:net';
import {
  createConnection,
  escapeId,
  type Connection,
  type QueryError,
  type RowDataPacket,
  type TypeCastField,
} from 'mysql2';
import { Type } from 'typebox';
import { OutgoingError } from '../outgoing/index.ts';
import { defineConnector, SourceError, type Effects, type RowBatch, type RowSet } from './connector.ts';
import { parseExactly } from './exact-json.ts';
import { secret } from './http-fields.ts';
import { safePath } from './safe-path.ts';
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

const rowsAtOnce = 2000;
const sampleRows = 5;
/** A server that sends nothing for this long is given up. */
const answerMs = 600_000;
/** Added to the rows of an incremental source; no column has such a name by accident. */
const positionColumn = 'tilth position';

type Config = SqlSource & {
  host: string;
  port: number;
  database: string;
  user: string;
  password?: string | null;
  tls: boolean;
  certificateAuthority?: string;
};

export const mysql = defineConnector({
  type: 'mysql',
  name: 'MySQL and MariaDB',
  description:
    'Reads a table, view or query in one read-only transaction, streamed in constant memory. Numbers keep all digits, JSON columns of MySQL stay JSON, times are in UTC, binary columns become base64.',
  incremental: true,
  config: Type.Object({
    host: Type.String({ minLength: 1, maxLength: 255 }),
    port: Type.Integer({ default: 3306, minimum: 1, maximum: 65_535 }),
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
    const sample: Record<string, unknown>[] = [];
    for await (const { lines } of allRows(readPages(config, effects, { limit: sampleRows })))
      for (const line of Buffer.from(lines).toString().split('\n'))
        if (line !== '') sample.push(parseExactly(line) as Record<string, unknown>);
    return { message: sample.length === 0 ? 'The source can be read; it has no rows' : 'The rows can be read', sample };
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

async function* readRows(config: Config, effects: Effects, start: SqlPosition | undefined): AsyncGenerator<RowBatch> {
  if (config.incrementalColumn === undefined) return yield* allRows(readPages(config, effects, {}));
  const columns: string[] = [];
  const pages = readPages(config, effects, { start, columns });
  const first = await pages.next();
  if (first.done === true) return;
  const log = (message: string): Promise<void> => effects.log('WARN', message);
  yield* newRows(prepended(first.value, pages), { start, columns, log });
}

async function* prepended<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

/** The rows of one read-only snapshot; the first page comes with the columns, and is empty without rows. */
async function* readPages(
  config: Config,
  effects: Effects,
  { start, columns, limit }: { start?: SqlPosition | undefined; columns?: string[]; limit?: number },
): AsyncGenerator<readonly SqlRow[]> {
  const { connection, broken, close } = await open(config, effects);
  try {
    await ask(connection, "set time_zone = '+00:00'");
    await ask(connection, 'start transaction with consistent snapshot, read only');
    const source = sourceOf(config);
    const names = await columnsOf(connection, source);
    columns?.push(...names.map(({ name }) => name));
    const text = selectOf({ config, source, names, start });
    if (start !== undefined) await warnOfNulls(connection, { source, column: config.incrementalColumn ?? '' }, effects);
    const binary = new Set(names.filter(({ isBinary }) => isBinary).map(({ name }) => name));
    const rows = connection
      .query({
        sql: limit === undefined ? text : `${text} limit ${limit}`,
        rowsAsArray: true,
        typeCast: (field) => jsonOf(field, binary),
      })
      .stream({ highWaterMark: rowsAtOnce });
    // The driver does not tell a stream of rows that its connection is gone: it would wait forever.
    const stop = (): void => void rows.destroy(broken.reason as Error);
    if (broken.aborted) stop();
    else broken.addEventListener('abort', stop, { once: true });
    const hasPosition = config.incrementalColumn !== undefined;
    const keys = names.map(({ name }) => `${JSON.stringify(name)}:`);
    let page: SqlRow[] = [];
    let isEmpty = true;
    for await (const row of rows as AsyncIterable<readonly (string | null)[]>) {
      const line = `{${keys.map((key, index) => key + (row[index] ?? 'null')).join(',')}}`;
      const position = hasPosition ? (row[names.length] ?? null) : null;
      page.push([line, position === null ? null : (JSON.parse(position) as string)]);
      if (page.length < rowsAtOnce) continue;
      isEmpty = false;
      yield page;
      page = [];
    }
    if (page.length > 0 || isEmpty) yield page;
  } catch (error) {
    throw explain(error, config, effects.signal);
  } finally {
    close();
  }
}

type Column = { name: string; type: number; decimals: number; isUnsigned: boolean; isBinary: boolean };

function selectOf({
  config,
  source,
  names,
  start,
}: {
  config: Config;
  source: string;
  names: readonly Column[];
  start: SqlPosition | undefined;
}): string {
  if (config.incrementalColumn === undefined) return `select q.* from ${source} as q`;
  const found = names.find(({ name }) => name === config.incrementalColumn);
  if (found === undefined) throw new SourceError(`there is no column ${config.incrementalColumn}`);
  if (found.isBinary || types.unordered.includes(found.type))
    throw new SourceError(`rows can not be continued by ${found.name}: it is no number, date or text`);
  const column = `q.${escapeId(found.name, true)}`;
  const type = orderTypeOf(found);
  // Text is ordered by its bytes: other orders take different texts for equal.
  const order = type === 'binary' ? `cast(convert(${column} using utf8mb4) as binary)` : column;
  // A float as text is rounded, a double is not.
  const value = types.floats.includes(found.type) ? `cast(${column} as double)` : column;
  const from =
    start === undefined
      ? ''
      : `where ${order} ${start.seen === null ? '>' : '>='} cast(${literal(start.value)} as ${type})`;
  const position = `cast(${value} as char) as ${escapeId(positionColumn, true)}`;
  return `select q.*, ${position} from ${source} as q ${from} order by ${order}`;
}

/** A text that means the same in every SQL mode. */
function literal(text: string): string {
  return `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`;
}

const types = {
  integers: [1, 2, 3, 8, 9, 13],
  decimals: [0, 246],
  floats: [4, 5],
  times: [7, 12],
  dates: [10, 14],
  /** Times of day, bits, JSON, shapes. */
  unordered: [11, 16, 245, 255],
};

/** What a value of the column is compared as. */
function orderTypeOf({ type, isUnsigned, decimals }: Column): string {
  if (types.integers.includes(type)) return isUnsigned ? 'unsigned' : 'signed';
  if (types.decimals.includes(type)) return `decimal(65,${decimals})`;
  if (types.floats.includes(type)) return 'double';
  if (types.times.includes(type)) return 'datetime(6)';
  return types.dates.includes(type) ? 'date' : 'binary';
}

const unsignedFlag = 32;
/** The character set of bytes that are no text. */
const binarySet = 63;
const textTypes = new Set([15, 249, 250, 251, 252, 253, 254]);

async function columnsOf(connection: Connection, source: string): Promise<Column[]> {
  const fields = await new Promise<
    readonly { name: string; columnType?: number; decimals?: number; flags?: unknown; characterSet?: number }[]
  >((resolve, reject) => {
    connection.query(`select q.* from ${source} as q limit 0`, (error: QueryError | null, _rows, found) => {
      if (error === null) resolve(found);
      else reject(error);
    });
  });
  return fields.map(({ name, columnType = 253, decimals = 0, flags, characterSet }) => ({
    name,
    type: columnType,
    decimals,
    isUnsigned: typeof flags === 'number' && (flags & unsignedFlag) !== 0,
    isBinary: characterSet === binarySet && textTypes.has(columnType),
  }));
}

/** A value as JSON text: digits as the server writes them. */
function jsonOf(field: TypeCastField, binary: ReadonlySet<string>): string | null {
  if (binary.has(field.name)) return quotedBase64(field.buffer());
  switch (field.type) {
    case 'TINY':
    case 'SHORT':
    case 'LONG':
    case 'INT24':
    case 'LONGLONG':
    case 'YEAR':
    case 'DECIMAL':
    case 'NEWDECIMAL':
    case 'FLOAT':
    case 'DOUBLE': {
      const digits = field.string();
      return digits === null || /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(digits)
        ? digits
        : JSON.stringify(digits);
    }
    case 'JSON':
      return field.string('utf8')?.replaceAll(/[\r\n]/g, ' ') ?? null;
    case 'BIT':
    case 'GEOMETRY':
      return quotedBase64(field.buffer());
    default: {
      const text = field.string();
      return text === null ? null : JSON.stringify(text);
    }
  }
}

function quotedBase64(bytes: Buffer | null): string | null {
  return bytes === null ? null : JSON.stringify(bytes.toString('base64'));
}

function sourceOf({ table, query }: SqlSource): string {
  if (query !== undefined) return `(${innerQuery(query)}\n)`;
  return escapeId(table ?? '');
}

function ask(connection: Connection, sql: string): Promise<RowDataPacket[]> {
  return new Promise((resolve, reject) => {
    connection.query<RowDataPacket[]>(sql, (error, rows) => {
      if (error === null) resolve(rows);
      else reject(error);
    });
  });
}

/** Rows without a value come once, with the first run; later ones would never be read without anybody noticing. */
async function warnOfNulls(
  connection: Connection,
  { source, column }: { source: string; column: string },
  { log }: Effects,
): Promise<void> {
  const sql = `select cast(count(*) as char) as n from ${source} as q where q.${escapeId(column, true)} is null`;
  const [row] = await ask(connection, sql);
  const count = String(row?.['n']);
  if (count !== '0')
    await log('WARN', `${count} rows have no value in ${column}; only a run from the start reads them`);
}

/** `broken` is aborted with the cause when the connection ends without being asked to. */
type Session = { connection: Connection; broken: AbortSignal; close(): void };

async function open(config: Config, { outgoing, signal }: Effects): Promise<Session> {
  const { host, port, database, user, password, tls, certificateAuthority } = config;
  // With an address, the driver would accept a certificate of localhost.
  if (tls && isIP(host) !== 0)
    throw new SourceError(`the TLS connection to MySQL at ${host}:${port} needs the server's name, not an address`);
  const socket = await outgoing.connect({ host, port, signal });
  socket.setTimeout(answerMs, () => socket.destroy(new Error('the server did not answer in time')));
  const stop = (): void => void socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', stop));
  const connection = createConnection({
    host,
    user,
    password: password ?? '',
    database,
    stream: socket,
    multipleStatements: false,
    // Nothing of this machine is sent, whatever the server asks for.
    flags: ['-LOCAL_FILES'],
    ...(tls
      ? {
          ssl: {
            rejectUnauthorized: true,
            verifyIdentity: true,
            ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
          },
        }
      : {}),
  });
  const breaking = new AbortController();
  // The driver alone would wait until the server has sent all rows.
  const close = (): void => {
    connection.destroy();
    socket.destroy();
  };
  connection.on('error', (error) => breaking.abort(error));
  try {
    await new Promise<void>((resolve, reject) => {
      connection.connect((error) => (error === null ? resolve() : reject(error)));
    });
  } catch (error) {
    close();
    throw explain(error, config, signal);
  }
  return { connection, broken: breaking.signal, close };
}

function explain(error: unknown, { host, port, user, database }: Config, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof SourceError || error instanceof OutgoingError) return error;
  const { code, message } = error as { code?: unknown; message: string };
  const where = `MySQL at ${host}:${port}`;
  const say = (text: string): SourceError => new SourceError(text, { cause: error });
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
      return say(`${where} refuses the user ${user} or the password`);
    case 'ER_DBACCESS_DENIED_ERROR':
      return say(`${where} does not let ${user} use the database ${database}`);
    case 'ER_BAD_DB_ERROR':
      return say(`${where} has no database ${database}`);
    case 'ECONNRESET':
    case 'EPIPE':
    case 'PROTOCOL_CONNECTION_LOST':
      return say(`${where} closed the connection`);
    case 'HANDSHAKE_NO_SSL_SUPPORT':
      return say(`the TLS connection to ${where} failed: the server does not support it`);
    case 'HANDSHAKE_SSL_ERROR':
      return say(`the TLS connection to ${where} failed: ${message}`);
  }
  return say(`${where}: ${message}${typeof code === 'string' ? ` (${code})` : ''}`);
}
