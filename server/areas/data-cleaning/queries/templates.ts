import { sql, type RawBuilder } from 'kysely';
import type { Sort } from '../../../kernel/page.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { contains, dialectOf } from '../../../storage/database/sql.ts';
import type { CleaningTemplatesTable } from '../../../storage/database/tables/data-cleaning.ts';

export async function insertTemplate(tx: Tx, row: CleaningTemplatesTable): Promise<void> {
  await tx.insertInto('cleaning_templates').values(row).execute();
}

export async function updateTemplate(tx: Tx, id: string, values: Partial<CleaningTemplatesTable>): Promise<void> {
  await tx.updateTable('cleaning_templates').set(values).where('id', '=', id).execute();
}

export async function deleteTemplate(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('cleaning_templates').where('id', '=', id).execute();
}

export async function findTemplate(db: Db, id: string): Promise<CleaningTemplatesTable | undefined> {
  return db.selectFrom('cleaning_templates').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The row, locked until this transaction ends. */
export async function lockTemplate(tx: Tx, id: string): Promise<CleaningTemplatesTable | undefined> {
  const query = tx.selectFrom('cleaning_templates').selectAll().where('id', '=', id);
  return (dialectOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

/** Another template with that normalised name. */
export async function findTemplateNamed(db: Db, nameKey: string, otherThan: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('cleaning_templates')
    .select('id')
    .where('name_key', '=', nameKey)
    .where('id', '<>', otherThan)
    .executeTakeFirst();
  return row?.id;
}

export async function listBuiltInTemplates(db: Db): Promise<CleaningTemplatesTable[]> {
  return db
    .selectFrom('cleaning_templates')
    .selectAll()
    .where(sql<boolean>`built_in = 1`)
    .execute();
}

/** Writes a built-in template; keeps the creation time of an existing one. */
export async function upsertTemplate(tx: Tx, row: CleaningTemplatesTable): Promise<void> {
  const { id: _id, created_at: _createdAt, created_by: _createdBy, ...changing } = row;
  await tx
    .insertInto('cleaning_templates')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changing))
    .execute();
}

export type TemplateFilter = {
  /** Normalised by `searchTextOf`. */
  keyword?: string | undefined;
  builtIn?: boolean | undefined;
};

export type TemplateOrder = Sort<'name_key' | 'created_at' | 'updated_at'>;

export async function listTemplates(
  db: Db,
  filter: TemplateFilter,
  { column, direction }: TemplateOrder,
  { limit, offset }: { limit: number; offset: number },
): Promise<CleaningTemplatesTable[]> {
  return db
    .selectFrom('cleaning_templates')
    .selectAll()
    .where(condition(db, filter))
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countTemplates(db: Db, filter: TemplateFilter): Promise<number> {
  const { count } = await db
    .selectFrom('cleaning_templates')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where(condition(db, filter))
    .executeTakeFirstOrThrow();
  return count;
}

function condition(db: Db, { keyword, builtIn }: TemplateFilter): RawBuilder<boolean> {
  const all: RawBuilder<unknown>[] = [];
  if (keyword !== undefined) all.push(contains(db, sql`search_text`, keyword));
  if (builtIn !== undefined) all.push(sql`built_in = ${builtIn ? 1 : 0}`);
  return all.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(all, sql` and `)}`;
}
