// A thread that reads one SQLite database, a page of rows for each message.
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import type { SqlRow } from './sql-rows.ts';

export type SqliteWork = {
  path: string;
  table?: string | undefined;
  query?: string | undefined;
  /** Incremental column. */
  column?: string | undefined;
  from?: { value: string; isInclusive: boolean } | undefined;
  limit?: number;
};

export type SqliteAnswer =
  | { rows: SqlRow[]; columns: string[] }
  | { done: true }
  /** A sentence for people. */
  | { problem: string };

const rowsAtOnce = 2000;

if (parentPort !== null) {
  const port = parentPort;
  const pages = readPages(workerData as SqliteWork);
  port.on('message', () => {
    let answer: SqliteAnswer;
    try {
      const next = pages.next();
      answer = next.done === true ? { done: true } : next.value;
    } catch (error) {
      answer = { problem: problemOf(error) };
    }
    port.postMessage(answer);
  });
}

function* readPages(work: SqliteWork): Generator<SqliteAnswer> {
  const db = new SqliteDatabase(work.path, { readonly: true, fileMustExist: true, timeout: 30_000 });
  try {
    db.pragma('trusted_schema = off');
    db.defaultSafeIntegers(true);
    const statement = db.prepare<unknown[], unknown[]>(textOf(work));
    // A single SELECT: nothing that attaches another file, or sets what others rely on.
    if (!statement.reader || !statement.readonly || !/^\s*(?:select|with|values)\b/i.test(work.query ?? 'select'))
      throw new Error('the query must be one SELECT');
    statement.raw(true);
    const columns = statement.columns().map(({ name }) => name);
    const at = work.column === undefined ? -1 : columns.indexOf(work.column);
    if (work.column !== undefined && at < 0) throw new Error(`there is no column ${work.column}`);
    const values = work.from === undefined ? [] : [JSON.parse(work.from.value, bigints) as unknown];
    let rows: SqlRow[] = [];
    let isEmpty = true;
    for (const row of statement.iterate(...values)) {
      rows.push([lineOf(columns, row), at < 0 ? null : positionOf(row[at])]);
      if (rows.length < rowsAtOnce) continue;
      isEmpty = false;
      yield { rows, columns };
      rows = [];
    }
    if (rows.length > 0 || isEmpty) yield { rows, columns };
  } finally {
    db.close();
  }
}

function textOf({ table, query, column, from, limit }: SqliteWork): string {
  const source = query === undefined ? quoted(table ?? '') : `(${query})`;
  const text = [`select * from ${source}`];
  if (column !== undefined && from !== undefined)
    text.push(`where ${quoted(column)} ${from.isInclusive ? '>=' : '>'} ?`);
  if (column !== undefined) text.push(`order by ${quoted(column)}`);
  if (limit !== undefined) text.push(`limit ${limit}`);
  return text.join(' ');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A row as JSON with all digits of its integers. */
function lineOf(columns: readonly string[], row: readonly unknown[]): string {
  return `{${columns.map((column, index) => `${JSON.stringify(column)}:${jsonOf(row[index])}`).join(',')}}`;
}

function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'));
  // JSON has no infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return JSON.stringify(String(value));
  return JSON.stringify(value ?? null);
}

/** A value that `bigints` reads back with its type: SQLite compares by type first. Null for one without an order. */
function positionOf(value: unknown): string | null {
  if (typeof value === 'bigint') return JSON.stringify({ integer: value.toString() });
  return typeof value === 'number' || typeof value === 'string' ? JSON.stringify(value) : null;
}

function bigints(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('integer' in value)) return value;
  return BigInt(String(value.integer));
}

function problemOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message: string };
  switch (code) {
    case 'SQLITE_NOTADB':
      return 'the file is no SQLite database, or an encrypted one';
    case 'SQLITE_CORRUPT':
      return `the database is damaged: ${message}`;
    case 'SQLITE_BUSY':
      return 'the database is locked by another program; try again later';
    case 'SQLITE_CANTOPEN':
      return 'the database can not be opened; in WAL mode its folder must be writable or all of its files closed';
    default:
      return `SQLite: ${message}`;
  }
}
