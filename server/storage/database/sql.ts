import { PostgresAdapter, sql, type RawBuilder } from 'kysely';
import type { Db, Dialect } from './database-types.ts';

/** The dialect of a connection's database. */
export function dialectOf(db: Db): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

export type JsonColumn = 'text' | 'integer' | 'real';

/**
 * A table made of rows that are passed as one JSON parameter: one statement of fixed length for any number of rows
 * (SQLite stops at 32,766 variables, and a long VALUES list costs more to compile than to run).
 * `sql\`insert into t (a, b) select a, b from ${rowsTable(db, { a: 'text', b: 'integer' }, rows)}\``; column `ordinal` counts from 0.
 */
export function rowsTable<C extends Readonly<Record<string, JsonColumn>>>(
  db: Db,
  columns: C,
  rows: readonly { readonly [K in keyof C]: string | number | null }[],
  alias = 'rows',
): RawBuilder<unknown> {
  return jsonRowsTable(db, columns, jsonRowsOf(columns, rows), alias);
}

/** Encodes rows as a parameter of a prepared statement that reads them through `jsonRowsTable`. */
export function jsonRowsOf<C extends Readonly<Record<string, JsonColumn>>>(
  columns: C,
  rows: readonly { readonly [K in keyof C]: string | number | null }[],
): string {
  const names = Object.keys(columns);
  return JSON.stringify(rows.map((row) => names.map((name) => row[name] ?? null)));
}

/** `rowsTable` for rows encoded by `jsonRowsOf`. */
export function jsonRowsTable(
  db: Db,
  columns: Readonly<Record<string, JsonColumn>>,
  json: string,
  alias = 'rows',
): RawBuilder<unknown> {
  const names = Object.keys(columns);
  const as = sql.raw(`"${alias}"`);
  if (dialectOf(db) === 'sqlite') {
    const fields = names.map((name, index) => sql.raw(`value ->> ${index} as "${name}"`));
    return sql`(select ${sql.join(fields)}, key as ordinal from json_each(${json})) as ${as}`;
  }
  const casts = { text: 'text collate "C"', integer: 'bigint', real: 'double precision' };
  const fields = names.map((name, index) =>
    sql.raw(`(value ->> ${index})::${casts[columns[name] ?? 'text']} as "${name}"`),
  );
  return sql`(select ${sql.join(fields)}, number - 1 as ordinal from jsonb_array_elements(${json}::jsonb) with ordinality as list(value, number)) as ${as}`;
}

/** Keys as a table for a condition: `column in (keys)` with any number of keys. */
export function keysTable(db: Db, keys: readonly string[]): RawBuilder<unknown> {
  const json = JSON.stringify(keys);
  return dialectOf(db) === 'sqlite'
    ? sql`(select value from json_each(${json}))`
    : sql`(select value collate "C" from jsonb_array_elements_text(${json}::jsonb))`;
}

/** Whether `column` contains `needle` literally; for a case-insensitive search lower-case both beforehand. */
export function contains(db: Db, column: RawBuilder<unknown>, needle: string): RawBuilder<boolean> {
  return dialectOf(db) === 'sqlite'
    ? sql<boolean>`instr(${column}, ${needle}) > 0`
    : sql<boolean>`strpos(${column}, ${needle}) > 0`;
}

/** Whether an error is a violated unique index (in either database). */
export function isUniqueViolation(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

/** Runs a write; if it violates a unique index, such as that of a name, throws the error that `refusal` returns. */
export async function refusingDuplicates<T>(
  write: () => Promise<T>,
  refusal: (options: { cause: unknown }) => Error,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw refusal({ cause: error });
    throw error;
  }
}

/** Whether an error means that the disk (or its quota) is full. */
export function isStorageFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL' || code === '53100';
}
