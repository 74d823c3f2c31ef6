import type { Reason } from '../kernel/sentences/index.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import { configProblems, sourceSentences } from './sentences.ts';
import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import type { SchemaProblem } from '../kernel/schema-problem.ts';
import type { RowBatch, RowColumn, RowSetFormat, RowSet } from './connector.ts';
import { parseExactly } from '../kernel/exact-json.ts';
import { safePath } from './safe-path.ts';

/** A row as a line of JSON, and its incremental value as text. */
export type SqlRow = readonly [line: string, value: string | null];

/**
 * Where the next run begins: at the last value, with the hashes of its known rows. More rows may get this value later,
 * so it is read again; `seen` is null if there are too many rows to remember, and the next run begins after the value.
 */
export type SqlPosition = {
  value: string;
  seen: Readonly<Record<string, number>> | null;
  columns: readonly string[];
};

/** Fields of all database connectors. */
export const sqlFields = {
  table: Type.Optional(Type.String({ minLength: 1, maxLength: 300, description: 'Table or view to read' })),
  query: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 50_000,
      description: 'One SELECT, instead of a table; it cannot change anything',
    }),
  ),
  incrementalColumn: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Column that grows with every new or changed row, such as an id or updated_at: later runs read only rows from its last value on. If empty, each run reads all rows into one file',
    }),
  ),
  format: Type.Optional(
    Type.Unsafe<RowSetFormat>({
      type: 'string',
      enum: ['JSONL', 'PARQUET'],
      default: 'JSONL',
      description:
        'File format. PARQUET keeps the column types; types that it lacks become text, and the run log lists those columns. If you change the format, the next run reads all rows again into new files',
    }),
  ),
  fileName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Name of the file or folder in the dataset, without extension; default: the table name',
    }),
  ),
};

export type SqlSource = {
  table?: string;
  query?: string;
  incrementalColumn?: string;
  format?: RowSetFormat;
  fileName?: string;
};

/** The single row set of a database; `place` identifies the database. */
export function sqlRowSet(
  source: SqlSource,
  place: Readonly<Record<string, unknown>>,
  read: (position: SqlPosition | undefined) => AsyncIterable<RowBatch>,
): RowSet {
  const { table, query, incrementalColumn, format = 'JSONL', fileName } = source;
  const name = fileName ?? table ?? 'query';
  return {
    kind: 'rows',
    key: JSON.stringify([
      ...Object.values(place),
      table ?? query,
      incrementalColumn ?? null,
      ...(format === 'JSONL' ? [] : [format]),
    ]),
    name,
    path: safePath([name]),
    isIncremental: incrementalColumn !== undefined,
    format,
    evidence: { ...place, ...(query === undefined ? { table } : { query }) },
    read: (position) => read(position as SqlPosition | undefined),
  };
}

export function findSqlProblem({ table, query }: SqlSource): SchemaProblem | undefined {
  if (table === undefined && query === undefined)
    return { field: 'table', problem: configProblems.IS_REQUIRED_OR_QUERY.reason({}) };
  if (table !== undefined && query !== undefined)
    return { field: 'query', problem: parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'table' }) };
  return undefined;
}

/** Above this number of rows with one value, they are not remembered individually. */
const maxSeen = 20_000;

/** Puts the columns before the batches, if the rows become Parquet: also if there are no rows. */
export async function* withColumns(
  batches: AsyncIterable<RowBatch>,
  columns: readonly RowColumn[] | undefined,
): AsyncGenerator<RowBatch> {
  if (columns !== undefined) yield { lines: Buffer.alloc(0), rows: 0, columns };
  yield* batches;
}

/** Batches, with positions, of rows in the order of the incremental column; rows known to the start position are left out. */
export async function* newRows(
  pages: AsyncIterable<readonly SqlRow[]>,
  {
    start,
    columns,
    log,
  }: { start: SqlPosition | undefined; columns: readonly string[]; log: (message: Reason) => Promise<void> },
): AsyncGenerator<RowBatch> {
  const known = new Map(Object.entries(start?.seen ?? {}));
  let value = start?.value;
  /** Hashes of the rows with the current value, with counts; null if there are too many. */
  let seen: Map<string, number> | null = start?.seen === null ? null : new Map(known);
  if (start !== undefined) await logChanges(start.columns, columns, log);
  for await (const page of pages) {
    const lines: string[] = [];
    /** The page's rows with the last value: only these need hashes. */
    let last: string[] = [];
    for (const [line, rowValue] of page) {
      if (start !== undefined && rowValue === start.value && take(known, hashOf(line, start.columns))) continue;
      if (rowValue !== null && rowValue !== value) {
        value = rowValue;
        seen = new Map();
        last = [];
      }
      if (rowValue !== null) last.push(line);
      lines.push(line);
    }
    for (const line of last) if (seen !== null) count(seen, hashOf(line, columns));
    if (seen !== null && seen.size > maxSeen) {
      seen = null;
      await log(sourceSentences.ROWS_OF_ONE_VALUE.reason({ limit: maxSeen, value: value ?? '' }));
    }
    const position: SqlPosition | undefined =
      value === undefined ? undefined : { value, seen: seen === null ? null : Object.fromEntries(seen), columns };
    yield { ...batchOf(lines), position };
  }
}

function count(hashes: Map<string, number>, hash: string): void {
  hashes.set(hash, (hashes.get(hash) ?? 0) + 1);
}

/** Removes one known row with this hash; false if there is none left. */
function take(hashes: Map<string, number>, hash: string): boolean {
  const left = hashes.get(hash) ?? 0;
  if (left > 0) hashes.set(hash, left - 1);
  return left > 0;
}

/** All rows as batches. */
export async function* allRows(pages: AsyncIterable<readonly SqlRow[]>): AsyncGenerator<RowBatch> {
  for await (const page of pages) yield batchOf(page.map(([line]) => line));
}

function batchOf(lines: readonly string[]): RowBatch {
  return { lines: Buffer.from(lines.length === 0 ? '' : `${lines.join('\n')}\n`), rows: lines.length };
}

/** Hashes the columns that the earlier run had, so that a new column does not make old rows look new. */
function hashOf(line: string, columns: readonly string[]): string {
  const row = parseExactly(line) as Record<string, unknown>;
  const values = JSON.stringify(columns.map((column) => row[column] ?? null));
  return createHash('sha1').update(values).digest('base64url').slice(0, 16);
}

async function logChanges(
  before: readonly string[],
  after: readonly string[],
  log: (message: Reason) => Promise<void>,
): Promise<void> {
  const added = after.filter((column) => !before.includes(column));
  const gone = before.filter((column) => !after.includes(column));
  if (added.length > 0) await log(sourceSentences.COLUMNS_NEW.reason({ columns: added.join(', ') }));
  if (gone.length > 0) await log(sourceSentences.COLUMNS_GONE.reason({ columns: gone.join(', ') }));
}
