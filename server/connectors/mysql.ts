import { type Reason, inputProblems } from '../kernel/sentences/index.ts';
import { sourceSentences } from './sentences.ts';
import { createConnection, escapeId, type Connection, type QueryError, type RowDataPacket } from 'mysql2';
import { Type } from 'typebox';
import { OutgoingError, outgoingSentences } from '../outgoing/index.ts';
import { defineConnector, SourceError, type Effects, type RowBatch } from './connector.ts';
import { parseExactly } from '../kernel/exact-json.ts';
import {
  columnOf,
  isLong,
  isRounded,
  jsonOf,
  orderTypeOf,
  parquetColumn,
  types,
  type Column,
  type Field,
} from './mysql-columns.ts';
import { sampleCellLength } from './sample.ts';
import {
  allRows,
  findSqlProblem,
  newRows,
  sqlRowSet,
  withColumns,
  type SqlPosition,
  type SqlRow,
  type SqlSource,
} from './sql-rows.ts';
import { innerQuery } from './sql-text.ts';
import {
  answerMs,
  checkMessage,
  placeOf,
  sampleRows,
  sqlServerDestinations,
  sqlServerFields,
  tlsOf,
  type SqlServerConfig as Config,
} from './sql-server.ts';

const rowsAtOnce = 2000;
export const mysql = defineConnector({
  type: 'mysql',
  name: 'MySQL and MariaDB',
  description:
    'Reads a table, view or query in one read-only transaction, streamed in constant memory. Numbers keep all digits, JSON columns of MySQL stay JSON, times are in UTC, and binary columns become base64 in JSON Lines. Server warnings, such as truncated values, are logged.',
  incremental: true,
  config: Type.Object(sqlServerFields(3306)),

  validate: findSqlProblem,
  destinationsOf: sqlServerDestinations,

  async check(config, effects) {
    const sample: Record<string, unknown>[] = [];
    const lines = { ...config, format: 'JSONL' as const };
    for await (const { rows } of readPages(lines, effects, { start: undefined, limit: sampleRows }))
      for (const [line] of rows) sample.push(parseExactly(line) as Record<string, unknown>);
    return { message: checkMessage(sample), sample };
  },

  async *read(config, effects) {
    yield sqlRowSet(config, placeOf(config), (position) => readRows(config, effects, position));
  },
});

/** Rows with their columns; the first page has columns even if it has no rows. */
type Page = { rows: readonly SqlRow[]; columns: readonly Column[] };

async function* readRows(config: Config, effects: Effects, start: SqlPosition | undefined): AsyncGenerator<RowBatch> {
  const pages = readPages(config, effects, { start });
  const first = await pages.next();
  if (first.done === true) return;
  const { columns } = first.value;
  const rows = rowsOf(first.value, pages);
  const log = (message: Reason): Promise<void> => effects.log('WARN', message);
  const batches =
    config.incrementalColumn === undefined
      ? allRows(rows)
      : newRows(rows, { start, columns: columns.map(({ name }) => name), log });
  yield* withColumns(batches, config.format === 'PARQUET' ? columns.map(parquetColumn) : undefined);
}

async function* rowsOf(first: Page, rest: AsyncIterable<Page>): AsyncGenerator<readonly SqlRow[]> {
  yield first.rows;
  for await (const { rows } of rest) yield rows;
}

type Reading = {
  start: SqlPosition | undefined;
  /** For a sample: the number of rows, whose texts and bytes the server truncates. */
  limit?: number;
};

/** The rows of one read-only snapshot. */
async function* readPages(config: Config, effects: Effects, { start, limit }: Reading): AsyncGenerator<Page> {
  const { connection, broken, close } = await open(config, effects);
  try {
    // UTC, and no truncation of group_concat at its default 1,024 characters.
    await ask(connection, "set time_zone = '+00:00', session group_concat_max_len = 4294967295");
    const source = sourceOf(config);
    const until = limit === undefined ? await settle(connection, { config, source, effects }) : undefined;
    await ask(connection, 'start transaction with consistent snapshot, read only');
    const columns = await columnsOf(connection, source);
    const text =
      limit === undefined ? selectOf({ config, source, columns, start, until }) : sampleOf({ source, columns, limit });
    // Also for a sample: a run could not continue by a missing column.
    if (config.incrementalColumn !== undefined) orderOf(columns, config.incrementalColumn);
    if (start !== undefined) await warnOfNulls(connection, { source, column: config.incrementalColumn ?? '' }, effects);
    const binary = new Set(columns.filter(({ isBinary }) => isBinary).map(({ name }) => name));
    const rows = connection
      .query({
        sql: text,
        rowsAsArray: true,
        typeCast: (field) => jsonOf(field, binary, config.format === 'PARQUET'),
      })
      .stream({ highWaterMark: rowsAtOnce });
    // The driver does not end a row stream when the connection is lost: it would wait forever.
    const stop = (): void => void rows.destroy(broken.reason as Error);
    if (broken.aborted) stop();
    else broken.addEventListener('abort', stop, { once: true });
    const hasPosition = config.incrementalColumn !== undefined && limit === undefined;
    const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
    let page: SqlRow[] = [];
    let isEmpty = true;
    for await (const row of rows as AsyncIterable<readonly (string | null)[]>) {
      const line = `{${keys.map((key, index) => key + (row[index] ?? 'null')).join(',')}}`;
      const position = hasPosition ? (row[columns.length] ?? null) : null;
      page.push([line, position === null ? null : (JSON.parse(position) as string)]);
      if (page.length < rowsAtOnce) continue;
      isEmpty = false;
      yield { rows: page, columns };
      page = [];
    }
    if (limit === undefined) await logWarnings(connection, effects);
    if (page.length > 0 || isEmpty) yield { rows: page, columns };
  } catch (error) {
    // After the connection has ended, the driver's error only says that it takes no commands.
    throw explain(broken.aborted ? broken.reason : error, config, effects.signal);
  } finally {
    close();
  }
}

/** Logs what the server changed or truncated while it read the rows. */
async function logWarnings(connection: Connection, { log }: Effects): Promise<void> {
  for (const warning of await ask(connection, 'show warnings limit 20'))
    await log(
      'WARN',
      sourceSentences.SERVER_WARNS.reason({ said: String(warning['Message']), code: String(warning['Code']) }),
    );
}

/** Selects a few rows; the server truncates long cells. */
function sampleOf({ source, columns, limit }: { source: string; columns: readonly Column[]; limit: number }): string {
  const cells = columns.map((column) => {
    const cell = `q.${escapeId(column.name, true)}`;
    if (isRounded(column)) return `${cell} + 0e0 as ${escapeId(column.name, true)}`;
    return isLong(column) ? `left(${cell}, ${sampleCellLength + 1}) as ${escapeId(column.name, true)}` : cell;
  });
  return `select ${cells.join(', ')} from ${source} as q limit ${limit}`;
}

/**
 * How rows are ordered by the incremental column: the column, the compared expression, its type, and its value as text.
 */
function orderOf(
  columns: readonly Column[],
  wanted: string,
): { column: string; order: string; type: string; value: string } {
  const found = columns.find(({ name }) => name === wanted);
  if (found === undefined) throw new SourceError(inputProblems.COLUMN_NOT_THERE.reason({ column: wanted }));
  if (found.isBinary || types.unordered.includes(found.type))
    throw new SourceError(sourceSentences.COLUMN_UNORDERED.reason({ column: found.name }));
  const column = `q.${escapeId(found.name, true)}`;
  const type = orderTypeOf(found);
  // Text is ordered by its bytes: other collations treat different texts as equal.
  const order = type === 'binary' ? `cast(convert(${column} using utf8mb4) as binary)` : column;
  // A float as text is rounded, a double is not.
  const value = types.floats.includes(found.type) ? `cast(${column} as double)` : column;
  return { column, order, type, value: `cast(${value} as char)` };
}

function selectOf({
  config,
  source,
  columns,
  start,
  until,
}: {
  config: Config;
  source: string;
  columns: readonly Column[];
  start: SqlPosition | undefined;
  until: { value: string | null } | undefined;
}): string {
  const all = valuesOf(columns);
  if (config.incrementalColumn === undefined) return `select ${all} from ${source} as q`;
  const { column, order, type, value } = orderOf(columns, config.incrementalColumn);
  const valueOf = (text: string): string => `cast(${literal(text)} as ${type})`;
  const conditions: string[] = [];
  if (start !== undefined) conditions.push(`${order} ${start.seen === null ? '>' : '>='} ${valueOf(start.value)}`);
  if (until !== undefined)
    conditions.push(`(${column} is null${until.value === null ? '' : ` or ${order} <= ${valueOf(until.value)}`})`);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  return `select ${all}, ${value} as ${escapeId(unusedName(columns), true)} from ${source} as q ${where} order by ${order}`;
}

/** The name of the position, which no column has. */
function unusedName(columns: readonly Column[]): string {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  let name = 'position';
  while (taken.has(name)) name += '_';
  return name;
}

/** All columns; the server rounds a float to six digits when it writes it as text, and a double not at all. */
function valuesOf(columns: readonly Column[]): string {
  if (!columns.some(isRounded)) return 'q.*';
  const values = columns.map((column) => {
    const name = escapeId(column.name, true);
    return isRounded(column) ? `q.${name} + 0e0 as ${name}` : `q.${name}`;
  });
  return values.join(', ');
}

/** The last value to read: the maximum before the wait, by whose end transactions that began earlier have finished. */
async function settle(
  connection: Connection,
  { config, source, effects }: { config: Config; source: string; effects: Effects },
): Promise<{ value: string | null } | undefined> {
  const { settleSeconds = 0, incrementalColumn } = config;
  if (settleSeconds === 0 || incrementalColumn === undefined) return undefined;
  const { column, order, value } = orderOf(await columnsOf(connection, source), incrementalColumn);
  const last = `select ${value} as n from ${source} as q where ${column} is not null order by ${order} desc limit 1`;
  const [row] = await ask(connection, last);
  await effects.pause(settleSeconds * 1000);
  return { value: row === undefined ? null : String(row['n']) };
}

/** A string literal that is the same in every SQL mode. */
function literal(text: string): string {
  return `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`;
}

async function columnsOf(connection: Connection, source: string): Promise<Column[]> {
  const fields = await new Promise<readonly Field[]>((resolve, reject) => {
    connection.query(`select q.* from ${source} as q limit 0`, (error: QueryError | null, _rows, found) => {
      if (error === null) resolve(found);
      else reject(error);
    });
  });
  return fields.map(columnOf);
}

function sourceOf({ table, query }: SqlSource): string {
  if (query !== undefined) return `(${innerQuery(query, 'mysql')}\n)`;
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

/** Warns of rows with NULL in the incremental column: only the first run reads them, and later ones would be missed. */
async function warnOfNulls(
  connection: Connection,
  { source, column }: { source: string; column: string },
  { log }: Effects,
): Promise<void> {
  const sql = `select cast(count(*) as char) as n from ${source} as q where q.${escapeId(column, true)} is null`;
  const [row] = await ask(connection, sql);
  const count = String(row?.['n']);
  if (count !== '0') await log('WARN', sourceSentences.ROWS_WITHOUT_VALUE.reason({ count, column }));
}

/** `broken` is aborted, with the cause, when the connection ends unexpectedly. */
type Session = { connection: Connection; broken: AbortSignal; close(): void };

async function open(config: Config, { outgoing, signal }: Effects): Promise<Session> {
  const { host, port, database, user, password } = config;
  const ssl = tlsOf(config, 'MySQL');
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
    // No local file is sent, even if the server requests one.
    flags: ['-LOCAL_FILES'],
    ...(ssl === undefined ? {} : { ssl: { ...ssl, verifyIdentity: true } }),
  });
  const breaking = new AbortController();
  // The driver's own end would wait until the server has sent all rows.
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
  const place = `${host}:${port}`;
  const say = (reason: Reason): SourceError => new SourceError(reason, { cause: error });
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
      return say(sourceSentences.MYSQL_USER.reason({ place, user }));
    case 'ER_DBACCESS_DENIED_ERROR':
      return say(sourceSentences.MYSQL_FORBIDS.reason({ place, user, database }));
    case 'ER_BAD_DB_ERROR':
      return say(sourceSentences.MYSQL_NO_DATABASE.reason({ place, database }));
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ER_CONNECTION_KILLED':
    case 'ER_SERVER_SHUTDOWN':
    case 'PROTOCOL_CONNECTION_LOST':
      return say(sourceSentences.MYSQL_CLOSED.reason({ place }));
    case 'HANDSHAKE_NO_SSL_SUPPORT':
      return say(
        outgoingSentences.TLS_FAILED.reason({
          host: `MySQL at ${place}`,
          why: sourceSentences.TLS_UNSUPPORTED.reason({}),
        }),
      );
    case 'HANDSHAKE_SSL_ERROR':
      return say(outgoingSentences.TLS_FAILED.reason({ host: `MySQL at ${place}`, why: message }));
  }
  return say(
    typeof code === 'string'
      ? sourceSentences.MYSQL_SAYS_CODE.reason({ place, said: message, code })
      : sourceSentences.MYSQL_SAYS.reason({ place, said: message }),
  );
}
