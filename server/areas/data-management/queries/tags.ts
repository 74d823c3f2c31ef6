import { sql } from 'kysely';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { contains, keysTable, rowsTable } from '../../../storage/database/sql.ts';
import type { TagsTable } from '../../../storage/database/tables/datasets.ts';

export type TagUsage = TagsTable & { usage_count: number };

function tagsWithUsage(db: Db) {
  return db
    .selectFrom('tags')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('dataset_tags')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('dataset_tags.tag_id', '=', 'tags.id')
        .$asScalar()
        .$notNull()
        .as('usage_count'),
    );
}

/** Tags by name, optionally only those whose name contains the keyword. */
export async function listTags(db: Db, keyword: string | undefined): Promise<TagUsage[]> {
  let query = tagsWithUsage(db);
  if (keyword !== undefined) query = query.where(contains(db, sql.ref('name_key'), keyword));
  return query.orderBy('name_key').execute();
}

export async function findTag(db: Db, id: string): Promise<TagUsage | undefined> {
  return tagsWithUsage(db).where('id', '=', id).executeTakeFirst();
}

/** Throws a unique violation when the name is taken. */
export async function insertTag(tx: Tx, row: TagsTable): Promise<void> {
  await tx.insertInto('tags').values(row).execute();
}

/**
 * Creates missing tags and returns all of them. They can't be deleted until this transaction ends: a no-op update locks their
 * rows, in name order, so that two writers never deadlock.
 */
export async function ensureTags(tx: Tx, rows: readonly TagsTable[]): Promise<{ id: string }[]> {
  const columns = {
    id: 'text',
    name: 'text',
    name_key: 'text',
    color: 'text',
    description: 'text',
    created_at: 'text',
  } as const;
  const result = await sql<{ id: string }>`insert into tags (id, name, name_key, color, description, created_at)
    select id, name, name_key, color, description, created_at from ${rowsTable(tx, columns, rows)}
    where true order by name_key
    on conflict (name_key) do update set name_key = excluded.name_key returning id`.execute(tx);
  return result.rows;
}

/** Returns the number of changed rows; throws a unique violation when the name is taken. */
export async function updateTag(
  tx: Tx,
  id: string,
  values: Partial<Pick<TagsTable, 'name' | 'name_key' | 'color' | 'description'>>,
): Promise<void> {
  await tx.updateTable('tags').set(values).where('id', '=', id).execute();
}

/** Returns whether it existed. */
export async function deleteTag(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('tags').where('id', '=', id).executeTakeFirst();
  await tx.deleteFrom('dataset_tags').where('tag_id', '=', id).execute();
  return numDeletedRows > 0n;
}

export type DatasetTagRow = Pick<TagsTable, 'id' | 'name' | 'color'> & { dataset_id: string };

/** The tags of many datasets by name. */
export async function listTagsOfDatasets(db: Db, datasetIds: readonly string[]): Promise<DatasetTagRow[]> {
  return db
    .selectFrom('dataset_tags')
    .innerJoin('tags', 'tags.id', 'dataset_tags.tag_id')
    .select(['dataset_tags.dataset_id', 'tags.id', 'tags.name', 'tags.color'])
    .where('dataset_tags.dataset_id', 'in', sql<string>`${keysTable(db, datasetIds)}`)
    .orderBy('tags.name_key')
    .execute();
}

/** Sets exactly these tags on a dataset. */
export async function replaceTagsOfDataset(tx: Tx, datasetId: string, tagIds: readonly string[]): Promise<void> {
  await tx.deleteFrom('dataset_tags').where('dataset_id', '=', datasetId).execute();
  if (tagIds.length === 0) return;
  await tx
    .insertInto('dataset_tags')
    .values(tagIds.map((tag_id) => ({ dataset_id: datasetId, tag_id })))
    .execute();
}
