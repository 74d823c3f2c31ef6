import { sql } from 'kysely';
import type { Db, Tx } from '../database/database.ts';
import { dialectOf, rowsTable, type JsonColumn } from '../database/sql.ts';

type Row = Record<string, string | number | null>;

/** A table of a SQLite database, read from its schema; PostgreSQL has the same. */
export type TableShape = { name: string; columns: Readonly<Record<string, JsonColumn>> };

const rowsPerPage = 500;

/** All tables with their columns, each after those that it references; includes the migration history. */
export async function listTables(sqlite: Db): Promise<TableShape[]> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema
    where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name != 'kysely_migration_lock'
    order by name`.execute(sqlite);
  const shapes = new Map<string, TableShape & { refersTo: readonly string[] }>();
  for (const { name } of rows) {
    const { rows: columns } = await sql<{ name: string; type: string }>`
      select name, type from pragma_table_info(${name})`.execute(sqlite);
    const { rows: references } = await sql<{ table: string }>`
      select "table" from pragma_foreign_key_list(${name})`.execute(sqlite);
    shapes.set(name, {
      name,
      columns: Object.fromEntries(columns.map((column) => [column.name, jsonColumnOf(column.type)])),
      refersTo: references.map(({ table }) => table),
    });
  }
  const ordered = new Set<TableShape>();
  const place = (name: string): void => {
    const shape = shapes.get(name);
    if (shape === undefined || ordered.has(shape)) return;
    for (const other of shape.refersTo) if (other !== name) place(other);
    ordered.add(shape);
  };
  for (const name of shapes.keys()) place(name);
  return [...ordered];
}

/** The rows of a table, page by page. On PostgreSQL, `db` must be a transaction with a consistent snapshot. */
export function pagesOfRows(db: Db, table: TableShape): AsyncGenerator<Row[]> {
  return dialectOf(db) === 'sqlite' ? pagesByRowid(db, table) : pagesByCursor(db, table);
}

async function* pagesByRowid(db: Db, { name }: TableShape): AsyncGenerator<Row[]> {
  for (let after = 0; ;) {
    const { rows } = await sql<Row & { rowNumber: number }>`select rowid as "rowNumber", * from ${sql.table(name)}
      where rowid > ${after} order by rowid limit ${rowsPerPage}`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.rowNumber;
  }
}

async function* pagesByCursor(db: Db, { name }: TableShape): AsyncGenerator<Row[]> {
  await sql`declare backup_rows no scroll cursor for select * from ${sql.table(name)}`.execute(db);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(rowsPerPage)} from backup_rows`.execute(db);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close backup_rows`.execute(db);
}

export async function insertRows(tx: Tx, { name, columns }: TableShape, rows: readonly Row[]): Promise<void> {
  const names = sql.join(Object.keys(columns).map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(name)} (${names}) select ${names} from ${rowsTable(tx, columns, rows)}`.execute(tx);
}

/** A new database already holds the rows of its migrations, and possibly more. */
export async function emptyTables(tx: Tx, tables: readonly TableShape[]): Promise<void> {
  for (const { name } of tables.toReversed()) await sql`delete from ${sql.table(name)}`.execute(tx);
}

function jsonColumnOf(type: string): JsonColumn {
  const known: Readonly<Record<string, JsonColumn>> = {
    integer: 'integer',
    bigint: 'integer',
    real: 'real',
    text: 'text',
  };
  return known[type.toLowerCase()] ?? 'text';
}
