// A process that reads one SQLite database, one page of rows per message. It can be killed during a query; a thread can not.
import { sourceSentences } from './sentences.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import { Worker } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import type { RowColumn } from './connector.ts';
import type { SqlRow } from './sql-rows.ts';

export type SqliteWork = {
  path: string;
  table?: string | undefined;
  query?: string | undefined;
  /** Incremental column. */
  column?: string | undefined;
  isForParquet?: boolean;
  from?: { value: string; isInclusive: boolean } | undefined;
  /** For a sample: number of rows, and the length at which texts and blobs are cut. */
  sample?: { rows: number; cellLength: number };
};

/** A row, counted from 1, with text that is not UTF-8, and its first such column. */
export type DamagedRow = { row: number; column: string };

export type SqliteAnswer =
  /** `unordered`: number of rows without a usable position; `types`: the columns in Parquet. */
  | { rows: SqlRow[]; columns: string[]; unordered: number; types?: RowColumn[] | undefined; damaged: DamagedRow[] }
  | { done: true }
  | { problem: Reason };

const rowsAtOnce = 2000;

if (process.send !== undefined) {
  // A query may outlive a killed service by any time: this thread then ends the process.
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
  const db = openDatabase(work.path);
  // A connection that reads rows can do nothing else.
  const second = openDatabase(work.path);
  let damage: DamageFinder | undefined;
  try {
    const plain = db.prepare<unknown[], unknown[]>(`select * from ${sourceOf(work)}`);
    // Only a single SELECT: no attached files, no pragmas.
    if (
      !plain.reader ||
      !plain.readonly ||
      !/^(?:\s|--[^\n]*\n|\/\*[^]*?\*\/)*(?:select|with|values)\b/i.test(work.query ?? 'select')
    )
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
    damage = createDamageFinder(second, textOf(work, { columns, isOrdered, unordered }), { columns, values });
    const finder = damage;
    let rowNumber = 0;
    let types: RowColumn[] | undefined;
    const toPage = (read: readonly unknown[][]): SqliteAnswer => {
      if (work.isForParquet === true) types ??= found.map(({ name, type }, index) => typeOf(name, type, read, index));
      const damaged: DamagedRow[] = [];
      const rows = read.flatMap((row): SqlRow[] => {
        rowNumber += 1;
        const column = work.sample === undefined ? finder.findColumn(rowNumber, row) : undefined;
        if (column !== undefined) {
          damaged.push({ row: rowNumber, column });
          return [];
        }
        const position = at < 0 ? null : positionOf(row[at], found[at]?.type ?? '');
        return [[lineOf(columns, row, types), position]];
      });
      return { rows, columns, unordered, types, damaged };
    };
    let page: unknown[][] = [];
    let isEmpty = true;
    for (const row of statement.iterate(...values)) {
      page.push(row);
      if (page.length < rowsAtOnce) continue;
      isEmpty = false;
      yield toPage(page);
      page = [];
    }
    if (page.length > 0 || isEmpty) yield toPage(page);
  } finally {
    damage?.end();
    db.close();
    second.close();
  }
}

function openDatabase(path: string): SqliteDatabase.Database {
  const db = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: 30_000 });
  db.pragma('trusted_schema = off');
  db.defaultSafeIntegers(true);
  // Begins the snapshot: what others write from now on is not read.
  db.exec('begin');
  db.prepare('select count(*) from sqlite_schema').get();
  return db;
}

type DamageFinder = {
  /** The first column of a row, counted from 1, with text that is not UTF-8. */
  findColumn(rowNumber: number, row: readonly unknown[]): string | undefined;
  end(): void;
};

/**
 * Finds text that is not UTF-8, which the library reads with U+FFFD for each wrong byte. Where this character appears, the
 * same rows are read once more as bytes.
 */
function createDamageFinder(
  db: SqliteDatabase.Database,
  statement: string,
  { columns, values }: { columns: readonly string[]; values: readonly unknown[] },
): DamageFinder {
  let bytes: Iterator<unknown[]> | undefined;
  let at = 0;

  function bytesOf(rowNumber: number): readonly unknown[] {
    const names = columns.map((_column, index) => `c${index}`);
    const cells = names.map((name) => `case when typeof(${name}) = 'text' then cast(${name} as blob) end`);
    bytes ??= db
      .prepare<unknown[], unknown[]>(
        `with named(${names.join(', ')}) as (${statement}) select ${cells.join(', ')} from named`,
      )
      .raw(true)
      .iterate(...values);
    let found: IteratorResult<unknown[]> | undefined;
    for (; at < rowNumber; at += 1) found = bytes.next();
    return found?.done === false ? found.value : [];
  }

  return {
    end: () => void bytes?.return?.(),
    findColumn(rowNumber, row) {
      if (!row.some((value) => typeof value === 'string' && value.includes('\ufffd'))) return undefined;
      const raw = bytesOf(rowNumber);
      return columns.find((_column, index) => {
        const value = row[index];
        if (typeof value !== 'string' || !value.includes('\ufffd')) return false;
        const encoded = raw[index];
        return !(encoded instanceof Uint8Array) || !Buffer.from(value).equals(encoded);
      });
    },
  };
}

function sourceOf({ table, query }: SqliteWork): string {
  return query === undefined ? quoted(table ?? '') : `(${query}\n)`;
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
  // Rows that can be resumed from come last: when a run breaks off, it has read all others.
  text.push(`order by ${from === undefined && unordered > 0 ? `${isOrdered}, ` : ''}${name}`);
  return text.join(' ');
}

/** Declared types whose values should be numbers. */
const numeric = /int|real|floa|doub|numeric|decimal/i;

/** The condition that a value can be a position: a number, or a text in a column that is not declared numeric. */
function orderedOf(column: string, type: string): string {
  const name = quoted(column);
  const classes = numeric.test(type) ? "'integer', 'real'" : "'integer', 'real', 'text'";
  return `(typeof(${name}) in (${classes}) and not (typeof(${name}) = 'real' and abs(${name}) > 1.7976931348623157e308))`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * The Parquet type of a column: by its affinity, to which SQLite converts all values that allow it; without one, by the
 * values of the first rows. Later values of another type turn the column into text.
 */
function typeOf(name: string, declared: string | null, rows: readonly unknown[][], index: number): RowColumn {
  if (/^bool/i.test(declared ?? '')) return { name, type: 'BOOLEAN', form: 'text' };
  if (/int/i.test(declared ?? '')) return { name, type: 'BIGINT', form: 'text' };
  if (/char|clob|text/i.test(declared ?? '')) return { name, type: 'VARCHAR', form: 'text' };
  if (/blob/i.test(declared ?? '')) return { name, type: 'BLOB', form: 'base64' };
  if (/real|floa|doub/i.test(declared ?? '')) return { name, type: 'DOUBLE', form: 'text' };
  const values = rows.map((row) => row[index]).filter((value) => value !== null);
  const all = (isOf: (value: unknown) => boolean): boolean => values.length > 0 && values.every(isOf);
  if (all((value) => typeof value === 'bigint')) return { name, type: 'BIGINT', form: 'text' };
  if (all((value) => typeof value === 'number' || typeof value === 'bigint'))
    return { name, type: 'DOUBLE', form: 'text' };
  if (all((value) => value instanceof Uint8Array)) return { name, type: 'BLOB', form: 'base64' };
  return { name, type: 'VARCHAR', form: 'text' };
}

/** A row as JSON with exact integers; for Parquet each value is a string. */
function lineOf(columns: readonly string[], row: readonly unknown[], types?: readonly RowColumn[]): string {
  const values = columns.map((column, index) => {
    const json = types === undefined ? jsonOf(row[index]) : stringOf(row[index], types[index]?.form);
    return `${JSON.stringify(column)}:${json}`;
  });
  return `{${values.join(',')}}`;
}

function stringOf(value: unknown, form: RowColumn['form']): string {
  if (value instanceof Uint8Array) return jsonOf(value);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return 'null';
  // The `.0` keeps a real from being read as an integer, whose 16 digits might not fit a double.
  const isWhole = typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e21;
  const text = isWhole ? `${value}.0` : String(value);
  return JSON.stringify(form === 'base64' ? Buffer.from(text).toString('base64') : text);
}

function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'));
  // JSON has no infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return JSON.stringify(String(value));
  return JSON.stringify(value ?? null);
}

/** A value as JSON from which `bigints` restores its type: SQLite compares by type first. Null if `orderedOf` excludes it. */
function positionOf(value: unknown, type: string): string | null {
  if (typeof value === 'bigint') return JSON.stringify({ integer: value.toString() });
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : null;
  return typeof value === 'string' && !numeric.test(type) ? JSON.stringify(value) : null;
}

function bigints(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('integer' in value)) return value;
  return BigInt(String(value.integer));
}

function problemOf(error: unknown): Reason {
  const { code, message } = error as { code?: unknown; message: string };
  switch (code) {
    case 'SQLITE_NOTADB':
      return sourceSentences.SQLITE_NONE.reason({});
    case 'SQLITE_CORRUPT':
      return sourceSentences.SQLITE_DAMAGED.reason({ said: message });
    case 'SQLITE_BUSY':
      return sourceSentences.SQLITE_LOCKED.reason({});
    case 'SQLITE_CANTOPEN':
      return sourceSentences.SQLITE_CLOSED.reason({});
    default:
      return sourceSentences.SQLITE_SAYS.reason({ said: message });
  }
}
