// A process that runs one user statement at a time and can be killed at any time. It has no environment; its library
import { queryProblems } from './sentences.ts';
import { type Reason, foreign } from '../../kernel/sentences/index.ts';
// can open only the tables of the statement and its own scratch folder; the system limits its memory and the size of
// its files.
import { constants, availableParallelism, setPriority } from 'node:os';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { endWithParent, limitMemory } from '../../processes/child-limits.ts';
import { identifier, literal } from '../parquet/text-patterns.ts';
import { indexedValueOf } from '../views/index-columns.ts';
import { sqlNames } from '../unique-names.ts';
import { placeAt, QueryProblem } from './query-problem.ts';
import type {
  QueriedTable,
  QueryAnswer,
  QueryLimits,
  StatementRequest,
  ReadQuery,
  TableReference,
  WriteQuery,
} from './query-protocol.ts';
import { readResult, writeResult } from './query-results.ts';
import { checkStatement, filesSchema, type SerializedSql, type Statement } from './query-statement.ts';

const { memoryBytes, diskBytes } = JSON.parse(process.argv[2] ?? '') as QueryLimits;

/**
 * Share of the memory limit for the library; the rest is for results and for memory that the library does not count.
 */
const libraryShare = 0.6;
const maxThreads = 4;

/** The statement is wrapped in a view: it may end with a semicolon or a comment, and can't break out of the view. */
const viewName = 'tilth_result';
const viewHead = `create temp view ${viewName} as\n`;
const descriptionHead = `${viewHead}from (`;

// Requests that users wait for have priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

limitMemory(memoryBytes, 50);

endWithParent();
process.on('message', (request: StatementRequest) => {
  answer(request).then(
    (answered) => process.send?.(answered),
    (error: unknown) => process.send?.(problemOf(error)),
  );
});

async function answer(request: StatementRequest): Promise<QueryAnswer> {
  const statement = await parse(request.sql);
  if (request.kind === 'parse') return { references: statement.references };
  return withView(request, statement, async (connection) =>
    request.kind === 'read'
      ? { result: await readResult(connection, viewName, request) }
      : { written: await writeResult(connection, viewName, request) },
  );
}

async function parse(sql: string): Promise<Statement> {
  const nul = sql.indexOf('\0');
  // The library would ignore everything after it.
  if (nul !== -1)
    throw new QueryProblem(
      queryProblems.QUERY_HOLDS_NUL.reason({}),
      placeAt(sql, Buffer.byteLength(sql.slice(0, nul))),
    );
  return withConnection(async (connection) => {
    await lock(connection, []);
    const read = await connection.runAndReadAll(
      `select json_serialize_sql(${literal(sql)}, skip_null := true, skip_empty := true)`,
    );
    return checkStatement(sql, JSON.parse(String(read.getRows()[0]?.[0])) as SerializedSql);
  });
}

/** Calls `work` once the statement is a view over the tables that it names. */
async function withView<T>(
  request: ReadQuery | WriteQuery,
  { isDescription, references }: Statement,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const { sql, tables, scratch } = request;
  const known = new Set(tables.flatMap((table) => table.references.map(keyOf)));
  for (const reference of references)
    if (!known.has(keyOf(reference)))
      throw new QueryProblem(queryProblems.QUERY_NO_TABLE.reason({ table: reference.name }), reference.place);
  const paths = [...tables.map(({ path }) => path), ...(request.kind === 'write' ? [request.outputPath] : [])];
  const head = isDescription ? descriptionHead : viewHead;
  return withConnection(async (connection) => {
    await lock(connection, paths);
    await connection.run(`create schema ${filesSchema}`);
    for (const table of tables) await createViews(connection, table);
    try {
      await connection.run(isDescription ? `${head}${withoutEnd(sql)}\n)` : `${head}${sql}`);
      return await work(connection);
    } catch (error) {
      throw translated(error, sql, Buffer.byteLength(head));
    }
  }, scratch);
}

/** The library ignores case in names. */
function keyOf({ schema, name }: Pick<TableReference, 'schema' | 'name'>): string {
  return JSON.stringify([schema.toLowerCase(), name.toLowerCase()]);
}

/** A description is put into parentheses, where no semicolon is allowed. */
function withoutEnd(sql: string): string {
  return sql.replace(/[\s;]+$/, '');
}

async function withConnection<T>(work: (connection: DuckDBConnection) => Promise<T>, scratch?: string): Promise<T> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(Math.min(maxThreads, availableParallelism())),
    memory_limit: `${Math.floor((memoryBytes * libraryShare) / (1 << 20))}MiB`,
    temp_directory: scratch ?? '',
    max_temp_directory_size: `${Math.floor(diskBytes / (1 << 20))}MiB`,
    errors_as_json: 'true',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** After this, no other file can be read or written, and no setting changed. */
async function lock(connection: DuckDBConnection, paths: readonly string[]): Promise<void> {
  if (paths.length > 0) await connection.run(`set allowed_paths = [${paths.map(literal).join(', ')}]`);
  await connection.run('set enable_external_access = false');
  await connection.run('set lock_configuration = true');
}

async function createViews(connection: DuckDBConnection, table: QueriedTable): Promise<void> {
  const { references, path, columns, isIndex, hasProblemColumn } = table;
  const names = sqlNames(columns);
  const chosen = columns.map((column, place) => {
    const { name, type } = column;
    const stored = isIndex ? indexedValueOf(column, place) : identifier(name);
    const value = isIndex && type === 'JSON' ? `try_cast(${stored} as json)` : stored;
    return `${value} as ${identifier(names[place] ?? name)}`;
  });
  const rows = `read_parquet(${literal(path)}, hive_partitioning = false)`;
  // Without columns there is nothing to select from the rows.
  const list = chosen.length === 0 ? 'null as "?"' : chosen.join(', ');
  const readable = hasProblemColumn ? 'where problem is null' : '';
  for (const { schema, name } of references) {
    const at = schema === '' ? identifier(name) : `${identifier(schema)}.${identifier(name)}`;
    await connection.run(`create view ${at} as select ${list} from ${rows} ${readable}`);
  }
}

type LibraryError = { exception_type?: string; exception_message?: string; position?: string };

/** The library's message in plain words, with its position in the user's statement. */
function translated(error: unknown, sql: string, headBytes: number): unknown {
  if (!(error instanceof Error)) return error;
  const found = libraryError(error.message);
  if (found === undefined) return error;
  const { exception_type: type, exception_message: message = '', position } = found;
  if (type === 'Out of Memory' || /could not allocate|bad_alloc/i.test(message))
    return new QueryProblem(memoryProblem());
  if (/max_temp_directory_size|File too large/i.test(message)) return new QueryProblem(diskProblem());
  const [first = ''] = message.split('\n\n');
  return new QueryProblem(foreign(withoutPaths(first)), placeAt(sql, Number(position ?? NaN) - headBytes));
}

function libraryError(message: string): LibraryError | undefined {
  const start = message.indexOf('{');
  try {
    return JSON.parse(message.slice(start)) as LibraryError;
  } catch {
    return undefined;
  }
}

function memoryProblem(): Reason {
  return queryProblems.QUERY_NEEDS_MEMORY.reason({ limit: memoryBytes >> 20 });
}

function diskProblem(): Reason {
  return queryProblems.QUERY_NEEDS_DISK.reason({ limit: Math.floor(diskBytes / (1 << 20)) });
}

function withoutPaths(message: string): string {
  return message.replaceAll(/(?:\bfile )?["'][^"'\n]*\/[^"'\n]*["']/gi, 'a file');
}

function problemOf(error: unknown): QueryAnswer & { problem: Reason } {
  if (error instanceof QueryProblem) return { problem: error.reason, place: error.place };
  const message = error instanceof Error ? error.message : String(error);
  const { exception_message: told = message } = libraryError(message) ?? {};
  return { problem: foreign(withoutPaths(told.split('\n')[0] ?? '')), place: undefined };
}
