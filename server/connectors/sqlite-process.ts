// A process that reads one SQLite database, a page of rows for each message. It can be killed while SQLite computes; a thread can not.
import { Worker } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import type { SqlRow } from './sql-rows.ts';

export type SqliteWork = {
  path: string;
  table?: string | undefined;
  query?: string | undefined;
  /** Incremental column. */
  column?: string | undefined;
  from?: { value: string; isInclusive: boolean } | undefined;
  /** Only so many rows, whose texts and blobs are cut after `cellLength`. */
  sample?: { rows: number; cellLength: number };
};

export type SqliteAnswer =
  /** `unordered`: rows that can not be continued by. */
  | { rows: SqlRow[]; columns: string[]; unordered: number }
  | { done: true }
  /** A sentence for people. */
  | { problem: string };

const rowsAtOnce = 2000;

if (process.send !== undefined) {
  // SQLite may compute for ever after the service was killed: this thread ends the process then.
  const watch = `const parent = process.ppid;
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1000);`;
  new Worker(watch, { eval: true }).unref();
  let pages: Generator<SqliteAnswer> | undefined;
  process.on('message', (work) => {
    pages ??= readPages(work as SqliteWork);
    let answer: SqliteAnswer;
    try {
      const next = pages.next();
      answer = next.done === true ? { done: true } : next.value;
    } catch (error) {
      answer = { problem: problemOf(error) };
    }
    process.send?.(answer);
  });
}

function* readPages(work: SqliteWork): Generator<SqliteAnswer> {
  const db = new SqliteDatabase(work.path, { readonly: true, fileMustExist: true, timeout: 30_000 });
  try {
    db.pragma('trusted_schema = off');
    db.defaultSafeIntegers(true);
    const plain = db.prepare<unknown[], unknown[]>(`select * from ${sourceOf(work)}`);
    // A single SELECT: nothing that attaches another file, or sets what others rely on.
    if (!plain.reader || !plain.readonly || !/^\s*(?:select|with|values)\b/i.test(work.query ?? 'select'))
      throw new Error('the query must be one SELECT');
    const found = plain.columns();
    const columns = found.map(({ name }) => name);
    const at = work.column === undefined ? -1 : columns.indexOf(work.column);
    if (work.column !== undefined && at < 0) throw new Error(`there is no column ${work.column}`);
    const isOrdered = at < 0 ? '1' : orderedOf(columns[at] ?? '', found[at]?.type ?? '');
    const count = db
      .prepare<unknown[], bigint>(`select count(*) from ${sourceOf(work)} where not (${isOrdered})`)
      .pluck();
    const unordered = at < 0 || work.sample !== undefined ? 0 : Number(count.get());
    const values = work.from === undefined ? [] : [JSON.parse(work.from.value, bigints) as unknown];
    if (values[0] === null) throw new Error('the earlier run ended at a value without an order; run from the start');
    const statement = db.prepare<unknown[], unknown[]>(textOf(work, { columns, isOrdered, unordered })).raw(true);
    let rows: SqlRow[] = [];
    let isEmpty = true;
    for (const row of statement.iterate(...values)) {
      rows.push([lineOf(columns, row), at < 0 ? null : positionOf(row[at], found[at]?.type ?? '')]);
      if (rows.length < rowsAtOnce) continue;
      isEmpty = false;
      yield { rows, columns, unordered };
      rows = [];
    }
    if (rows.length > 0 || isEmpty) yield { rows, columns, unordered };
  } finally {
    db.close();
  }
}

function sourceOf({ table, query }: SqliteWork): string {
  return query === undefined ? quoted(table ?? '') : `(${query})`;
}

function textOf(
  work: SqliteWork,
  { columns, isOrdered, unordered }: { columns: readonly string[]; isOrdered: string; unordered: number },
): string {
  const { column, from, sample } = work;
  if (sample !== undefined) {
    const cells = columns.map(quoted).map((cell) => {
      const cut = `substr(${cell}, 1, ${sample.cellLength})`;
      return `case when typeof(${cell}) in ('text', 'blob') then ${cut} else ${cell} end`;
    });
    return `select ${cells.join(', ')} from ${sourceOf(work)} limit ${sample.rows}`;
  }
  const text = [`select * from ${sourceOf(work)}`];
  if (column === undefined) return text.join(' ');
  const name = quoted(column);
  if (from !== undefined) text.push(`where ${name} ${from.isInclusive ? '>=' : '>'} ? and ${isOrdered}`);
  // Values to continue by come last: a run that breaks off has read the others.
  text.push(`order by ${from === undefined && unordered > 0 ? `${isOrdered}, ` : ''}${name}`);
  return text.join(' ');
}

/** A declared type whose values should be numbers. */
const numeric = /int|real|floa|doub|numeric|decimal/i;

/** The condition that a value can be continued by: a number, or a text in a column that is not one of numbers. */
function orderedOf(column: string, type: string): string {
  const name = quoted(column);
  const classes = numeric.test(type) ? "'integer', 'real'" : "'integer', 'real', 'text'";
  return `(typeof(${name}) in (${classes}) and not (typeof(${name}) = 'real' and abs(${name}) > 1.7976931348623157e308))`;
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

/** A value that `bigints` reads back with its type: SQLite compares by type first. Null for one that `orderedOf` leaves out. */
function positionOf(value: unknown, type: string): string | null {
  if (typeof value === 'bigint') return JSON.stringify({ integer: value.toString() });
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : null;
  return typeof value === 'string' && !numeric.test(type) ? JSON.stringify(value) : null;
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
