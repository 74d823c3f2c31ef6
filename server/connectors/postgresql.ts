import { type Reason, inputProblems } from '../kernel/sentences/index.ts';
import { sourceSentences } from './sentences.ts';
import type { Socket } from 'node:net';
import pg from 'pg';
import { Type } from 'typebox';
import { OutgoingError, outgoingSentences } from '../outgoing/index.ts';
import { defineConnector, SourceError, type Effects } from './connector.ts';
import { parseExactly } from '../kernel/exact-json.ts';
import { selectedColumn, type SelectedColumn } from './postgresql-columns.ts';
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

const rowsAtOnce = 5000;

export const postgresql = defineConnector({
  type: 'postgresql',
  name: 'PostgreSQL',
  description:
    'Reads a table, view or query in one read-only transaction, with a cursor: any size in constant memory. Numbers keep all digits, arrays and JSON keep their structure, and bytea becomes hexadecimal in JSON Lines. Use an account that may only SELECT.',
  incremental: true,
  config: Type.Object(sqlServerFields(5432)),

  validate: findSqlProblem,
  destinationsOf: sqlServerDestinations,

  async check(config, effects) {
    return withClient(config, effects, async (client) => {
      const source = sourceOf(client, config);
      await fieldsOf(client, source, config.incrementalColumn);
      // The server truncates long cells: a row may exceed the longest string possible here.
      const cell = `case when length(value::text) <= ${sampleCellLength} then value else to_json(left(value #>> '{}', ${sampleCellLength + 1})) end`;
      const { rows } = await ask<[string | null]>(
        client,
        `select (select json_object_agg(key, ${cell}) from json_each(row_to_json(q.*)))::text from ${source} as q limit ${sampleRows}`,
      );
      const sample = rows.map(([line]) => parseExactly(line ?? '{}') as Record<string, unknown>);
      return { message: checkMessage(sample), sample };
    });
  },

  async *read(config, effects) {
    yield sqlRowSet(config, placeOf(config), (position) => readRows(config, effects, position));
  },
});

async function* readRows(config: Config, effects: Effects, start: SqlPosition | undefined) {
  const client = await openClient(config, effects);
  try {
    const source = sourceOf(client, config);
    const column = `q.${client.escapeIdentifier(config.incrementalColumn ?? '')}`;
    const until =
      config.incrementalColumn === undefined ? undefined : await settle(client, { config, source, column, effects });
    // One snapshot: a row is neither read twice nor missed while others write.
    await ask(client, 'begin transaction isolation level repeatable read read only');
    const fields = await fieldsOf(client, source, config.incrementalColumn);
    const selected = config.format === 'PARQUET' ? await selectColumns(client, fields) : undefined;
    const rows = rowsOf(source, selected);
    const columns = selected?.map((each) => each.column);
    if (config.incrementalColumn === undefined) {
      await ask(client, `declare rows no scroll cursor for select ${rows.line}, null from ${rows.from}`);
      return yield* withColumns(allRows(pagesOf(client)), columns);
    }
    const order = await orderOf(client, source, column);
    if (start !== undefined && order.isEndless && unordered.includes(start.value))
      throw new SourceError(sourceSentences.ENDED_AT_LAST.reason({ value: start.value }));
    const count = await countUnordered(client, source, order.isOrdered);
    await ask(client, cursorOf({ client, rows, column, order, count, start, until }));
    const log = (message: Reason): Promise<void> => effects.log('WARN', message);
    if (start !== undefined && count !== '0')
      await log(sourceSentences.ROWS_WITHOUT_END.reason({ count, column: config.incrementalColumn }));
    const names = fields.map(({ name }) => name);
    yield* withColumns(newRows(pagesOf(client), { start, columns: names, log }), columns);
  } catch (error) {
    throw explain(error, config, effects.signal);
  } finally {
    closeClient(client);
  }
}

/** The SQL of a row's line and the FROM clause; for Parquet, each value in the form that its column needs. */
type Rows = { line: string; from: string };

function rowsOf(source: string, selected: readonly SelectedColumn[] | undefined): Rows {
  // Without `.*`, a column of the name would be read instead of the row.
  if (selected === undefined) return { line: 'row_to_json(q.*)::text', from: `${source} as q` };
  const values = selected.map(({ column, sql }) => `${sql} as ${pg.escapeIdentifier(column.name)}`);
  return {
    line: 'row_to_json(p.*)::text',
    from: `${source} as q cross join lateral (select ${values.join(', ')}) as p`,
  };
}

async function selectColumns(client: pg.Client, fields: readonly pg.FieldDef[]): Promise<SelectedColumn[]> {
  // Offsets of the session's time zone may have seconds, which Parquet readers do not accept.
  await ask(client, "set local time zone 'UTC'");
  const types = fields.map(({ dataTypeID, dataTypeModifier }) => `format_type(${dataTypeID}, ${dataTypeModifier})`);
  const { rows } = await ask<string[]>(client, `select ${types.join(', ')}`);
  return fields.map(({ name }, index) =>
    selectedColumn(name, rows[0]?.[index] ?? '', `q.${pg.escapeIdentifier(name)}`),
  );
}

/** How rows are ordered by a column, and the condition that a row has a place in this order. */
type Order = { type: string; isEndless: boolean; isOrdered: string };

async function orderOf(client: pg.Client, source: string, column: string): Promise<Order> {
  const type = await typeOf(client, source, column);
  const isEndless = endless.test(type);
  const without = `${column}::text not in (${unordered.map((value) => `'${value}'`).join(', ')})`;
  return { type, isEndless, isOrdered: `(${column} is not null${isEndless ? ` and ${without}` : ''})` };
}

function cursorOf({
  client,
  rows,
  column,
  order: { type, isOrdered },
  count,
  start,
  until,
}: {
  client: pg.Client;
  rows: Rows;
  column: string;
  order: Order;
  /** Number of rows without a place in the order. */
  count: string;
  start: SqlPosition | undefined;
  until: { value: string | null } | undefined;
}): string {
  const valueOf = (text: string): string => `${client.escapeLiteral(text)}::${type}`;
  const conditions: string[] = [];
  if (start !== undefined)
    conditions.push(`${column} ${start.seen === null ? '>' : '>='} ${valueOf(start.value)} and ${isOrdered}`);
  if (until !== undefined)
    conditions.push(`(not ${isOrdered}${until.value === null ? '' : ` or ${column} <= ${valueOf(until.value)}`})`);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  // Rows that can be resumed from come last: when a run breaks off, it has read all others.
  const by = start === undefined && count !== '0' ? `${isOrdered}, ${column}` : column;
  return `declare rows no scroll cursor for select ${rows.line}, case when ${isOrdered} then ${column}::text end
    from ${rows.from} ${where} order by ${by}`;
}

/** The last value to read: the maximum before the wait, by whose end transactions that began earlier have finished. */
async function settle(
  client: pg.Client,
  { config, source, column, effects }: { config: Config; source: string; column: string; effects: Effects },
): Promise<{ value: string | null } | undefined> {
  const { settleSeconds = 0 } = config;
  if (settleSeconds === 0) return undefined;
  await fieldsOf(client, source, config.incrementalColumn);
  const { isOrdered } = await orderOf(client, source, column);
  const last = `select ${column}::text from ${source} as q where ${isOrdered} order by ${column} desc limit 1`;
  const { rows } = await ask<[string]>(client, last);
  await effects.pause(settleSeconds * 1000);
  return { value: rows[0]?.[0] ?? null };
}

async function* pagesOf(client: pg.Client): AsyncGenerator<readonly SqlRow[]> {
  for (;;) {
    const { rows } = await ask<[string, string | null]>(client, `fetch forward ${rowsAtOnce} from rows`);
    if (rows.length === 0) return;
    // A json column keeps its white space; its line breaks must go, as each row is one line.
    yield rows.map(([line, value]) => [
      line.includes('\n') || line.includes('\r') ? line.replaceAll(/[\r\n]/g, ' ') : line,
      value,
    ]);
  }
}

/** The columns, which must have distinct names: a JSON object has each only once. */
async function fieldsOf(client: pg.Client, source: string, wanted: string | undefined): Promise<pg.FieldDef[]> {
  const { fields } = await ask(client, `select * from ${source} as q limit 0`);
  const names = fields.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new SourceError(sourceSentences.COLUMN_TWICE.reason({ column: twice }));
  if (wanted !== undefined && !names.includes(wanted))
    throw new SourceError(inputProblems.COLUMN_NOT_THERE.reason({ column: wanted }));
  return fields;
}

async function typeOf(client: pg.Client, source: string, column: string): Promise<string> {
  const { fields } = await ask(client, `select ${column} from ${source} as q limit 0`);
  const { rows } = await ask<[string]>(client, `select format_type(${fields[0]?.dataTypeID ?? 0}, null)`);
  return rows[0]?.[0] ?? 'text';
}

/** Types with infinities or NaN, which can not serve as positions. */
const endless = /^(?:real|double precision|numeric|date|timestamp)/;
const unordered = ['infinity', '-infinity', 'Infinity', '-Infinity', 'NaN'];

/** Counts rows without a usable incremental value: only the first run reads them, and later ones would be missed unnoticed. */
async function countUnordered(client: pg.Client, source: string, isOrdered: string): Promise<string> {
  const { rows } = await ask<[string]>(client, `select count(*)::text from ${source} as q where not ${isOrdered}`);
  return rows[0]?.[0] ?? '0';
}

function sourceOf(client: pg.Client, { table, query }: SqlSource): string {
  if (query !== undefined) return `(${innerQuery(query, 'postgresql')}\n)`;
  return (table ?? '')
    .split('.')
    .map((part) => client.escapeIdentifier(part))
    .join('.');
}

/** Runs one statement by the extended protocol, which rejects a second one after a semicolon. */
async function ask<R extends unknown[]>(client: pg.Client, text: string): Promise<pg.QueryArrayResult<R>> {
  const query = { text, rowMode: 'array' as const, queryMode: 'extended' };
  try {
    return await client.query<R>(query);
  } catch (error) {
    throw breaks.get(client) ?? error;
  }
}

/** Why a client's connection ended between two statements; the next statement only reports that it did. */
const breaks = new WeakMap<pg.Client, Error>();

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
  const { host, port, database, user, password } = config;
  const ssl = tlsOf(config, 'PostgreSQL');
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
    ...(ssl === undefined ? {} : { ssl }),
  });
  // Without a listener, a connection that breaks between two statements would end the process.
  client.on('error', (error) => {
    if (!breaks.has(client)) breaks.set(client, error);
  });
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

/** Presents an open socket to a driver that insists on connecting it. */
function connected(socket: Socket): Socket {
  socket.connect = () => {
    queueMicrotask(() => socket.emit('connect'));
    return socket;
  };
  return socket;
}

/** Closes without waiting for the server, which may be unresponsive. */
function closeClient(client: pg.Client): void {
  client.end().catch(() => {});
}

function explain(error: unknown, { host, port, user, database }: Config, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof SourceError || error instanceof OutgoingError) return error;
  const { code, message } = error as { code?: unknown; message: string };
  const place = `${host}:${port}`;
  const say = (reason: Reason): SourceError => new SourceError(reason, { cause: error });
  switch (code) {
    case '28P01':
    case '28000':
      return say(sourceSentences.POSTGRES_USER.reason({ place, user, said: message }));
    case '3D000':
      return say(sourceSentences.POSTGRES_NO_DATABASE.reason({ place, database }));
    case '57P01':
    case '57P02':
    case '57P03':
      return say(sourceSentences.POSTGRES_STARTING.reason({ place, said: message }));
    case '25006':
      return say(sourceSentences.POSTGRES_WRITES.reason({ place, said: message }));
    case 'ECONNRESET':
    case 'EPIPE':
      return say(sourceSentences.POSTGRES_CLOSED.reason({ place }));
  }
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code))
    return say(sourceSentences.POSTGRES_SAYS.reason({ place, said: message, code }));
  if (/certificate|TLS|SSL|tls/.test(`${String(code)} ${message}`))
    return say(outgoingSentences.TLS_FAILED.reason({ host: `PostgreSQL at ${place}`, why: message }));
  return say(sourceSentences.POSTGRES_UNREADABLE.reason({ place, said: message }));
}
