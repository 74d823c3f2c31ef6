import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from '../../storage/database/database.ts';
import type { Tables } from '../../storage/database/schema.ts';
import { contains, dialectOf } from '../../storage/database/sql.ts';
import type { NamedOrder } from '../named-rows.ts';

/** The tables of templates; each has the common columns and those of its area. */
export type TemplateTable = 'cleaning_templates' | 'synthesis_templates';

type Found<T extends TemplateTable> = Promise<Tables[T] | undefined>;

export async function insertTemplate<T extends TemplateTable>(tx: Tx, table: T, row: Tables[T]): Promise<void> {
  await tx.insertInto<TemplateTable>(table).values(row).execute();
}

export async function updateTemplate<T extends TemplateTable>(
  tx: Tx,
  table: T,
  id: string,
  values: Partial<Tables[T]>,
): Promise<void> {
  await tx.updateTable<TemplateTable>(table).set(values).where('id', '=', id).execute();
}

export async function deleteTemplate(tx: Tx, table: TemplateTable, id: string): Promise<void> {
  await tx.deleteFrom(table).where('id', '=', id).execute();
}

export async function findTemplate<T extends TemplateTable>(db: Db, table: T, id: string): Found<T> {
  return db.selectFrom<TemplateTable>(table).selectAll().where('id', '=', id).executeTakeFirst();
}

/** The row, locked until the end of the transaction. */
export async function lockTemplate<T extends TemplateTable>(tx: Tx, table: T, id: string): Found<T> {
  const query = tx.selectFrom<TemplateTable>(table).selectAll().where('id', '=', id);
  return (dialectOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

/** Finds another template with this normalised name. */
export async function findTemplateNamed(
  db: Db,
  table: TemplateTable,
  nameKey: string,
  otherThan: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('name_key', '=', nameKey)
    .where('id', '<>', otherThan)
    .executeTakeFirst();
  return row?.id;
}

export async function listBuiltInTemplates<T extends TemplateTable>(db: Db, table: T): Promise<Tables[T][]> {
  return db.selectFrom<TemplateTable>(table).selectAll().where('built_in', '=', 1).execute();
}

export type TemplateFilter = {
  /** Normalised by `searchTextOf`. */
  keyword?: string | undefined;
  /** Only for a table that has the column. */
  type?: string | undefined;
  builtIn?: boolean | undefined;
};

export async function listTemplates<T extends TemplateTable>(
  db: Db,
  table: T,
  filter: TemplateFilter,
  { column, direction }: NamedOrder,
  { limit, offset }: { limit: number; offset: number },
): Promise<Tables[T][]> {
  return db
    .selectFrom<TemplateTable>(table)
    .selectAll()
    .where(condition(db, filter))
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countTemplates(db: Db, table: TemplateTable, filter: TemplateFilter): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select((query) => query.fn.countAll<number>().as('count'))
    .where(condition(db, filter))
    .executeTakeFirstOrThrow();
  return count;
}

function condition(db: Db, { keyword, type, builtIn }: TemplateFilter): RawBuilder<boolean> {
  const all: RawBuilder<unknown>[] = [];
  if (keyword !== undefined) all.push(contains(db, sql`search_text`, keyword));
  if (type !== undefined) all.push(sql`type = ${type}`);
  if (builtIn !== undefined) all.push(sql`built_in = ${builtIn ? 1 : 0}`);
  return all.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(all, sql` and `)}`;
}
