import { sql, type RawBuilder } from 'kysely';
import type { Sort } from '../../../kernel/page.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { contains, dialectOf } from '../../../storage/database/sql.ts';
import type {
  SynthesisTemplatesTable,
  SynthesisTemplateVersionsTable,
} from '../../../storage/database/tables/data-synthesis.ts';

export async function insertTemplate(tx: Tx, row: SynthesisTemplatesTable): Promise<void> {
  await tx.insertInto('synthesis_templates').values(row).execute();
}

export async function updateTemplate(tx: Tx, id: string, values: Partial<SynthesisTemplatesTable>): Promise<void> {
  await tx.updateTable('synthesis_templates').set(values).where('id', '=', id).execute();
}

/** With its versions. */
export async function deleteTemplate(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('synthesis_template_versions').where('template_id', '=', id).execute();
  await tx.deleteFrom('synthesis_templates').where('id', '=', id).execute();
}

export async function findTemplate(db: Db, id: string): Promise<SynthesisTemplatesTable | undefined> {
  return db.selectFrom('synthesis_templates').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The row, locked until this transaction ends. */
export async function lockTemplate(tx: Tx, id: string): Promise<SynthesisTemplatesTable | undefined> {
  const query = tx.selectFrom('synthesis_templates').selectAll().where('id', '=', id);
  return (dialectOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

/** Another template with that normalised name. */
export async function findTemplateNamed(db: Db, nameKey: string, otherThan: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('synthesis_templates')
    .select('id')
    .where('name_key', '=', nameKey)
    .where('id', '<>', otherThan)
    .executeTakeFirst();
  return row?.id;
}

export async function listBuiltInTemplates(db: Db): Promise<SynthesisTemplatesTable[]> {
  return db.selectFrom('synthesis_templates').selectAll().where('built_in', '=', 1).execute();
}

export type InstructionFilter = {
  /** Normalised by `searchTextOf`. */
  keyword?: string | undefined;
  type?: string | undefined;
  builtIn?: boolean | undefined;
};

export type InstructionOrder = Sort<'name_key' | 'created_at' | 'updated_at'>;

export async function listTemplates(
  db: Db,
  filter: InstructionFilter,
  { column, direction }: InstructionOrder,
  { limit, offset }: { limit: number; offset: number },
): Promise<SynthesisTemplatesTable[]> {
  return db
    .selectFrom('synthesis_templates')
    .selectAll()
    .where(condition(db, filter))
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countTemplates(db: Db, filter: InstructionFilter): Promise<number> {
  const { count } = await db
    .selectFrom('synthesis_templates')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where(condition(db, filter))
    .executeTakeFirstOrThrow();
  return count;
}

function condition(db: Db, { keyword, type, builtIn }: InstructionFilter): RawBuilder<boolean> {
  const all: RawBuilder<unknown>[] = [];
  if (keyword !== undefined) all.push(contains(db, sql`search_text`, keyword));
  if (type !== undefined) all.push(sql`type = ${type}`);
  if (builtIn !== undefined) all.push(sql`built_in = ${builtIn ? 1 : 0}`);
  return all.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(all, sql` and `)}`;
}

export async function insertTemplateVersion(tx: Tx, row: SynthesisTemplateVersionsTable): Promise<void> {
  await tx.insertInto('synthesis_template_versions').values(row).execute();
}

export async function findTemplateVersion(
  db: Db,
  id: string,
  version: number,
): Promise<SynthesisTemplateVersionsTable | undefined> {
  return db
    .selectFrom('synthesis_template_versions')
    .selectAll()
    .where('template_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
}

/** Newest first. */
export async function listTemplateVersions(
  db: Db,
  id: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<SynthesisTemplateVersionsTable[]> {
  return db
    .selectFrom('synthesis_template_versions')
    .selectAll()
    .where('template_id', '=', id)
    .orderBy('version', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}
