import { sql, type ExpressionBuilder, type SqlBool, type Expression } from 'kysely';
import type { Sort } from '../../../kernel/page.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import { prepared } from '../../../storage/database/prepared.ts';
import type { Tables } from '../../../storage/database/schema.ts';
import { contains, keysTable } from '../../../storage/database/sql.ts';
import type { DatasetsTable, TagsTable } from '../../../storage/database/tables/datasets.ts';

/** Filter of a dataset list; `keyword` is normalised search text, and a dataset must have all tags of `tagKeys`. */
export type DatasetFilter = {
  type?: string | undefined;
  status?: string | undefined;
  keyword?: string | undefined;
  tagKeys: readonly string[];
  /** Whether one of its files must have the status ERROR. */
  hasErrors?: boolean | undefined;
};

export type DatasetOrder = Sort<'name_key' | 'created_at' | 'updated_at' | 'file_count' | 'total_size_bytes'>;

const findById = prepared<{ id: string }, DatasetsTable>((db, p) =>
  db.selectFrom('datasets').selectAll().where('id', '=', p('id')).where('deleted_at', 'is', null),
);

/** A dataset that isn't deleted. */
export async function findDataset(db: Db, id: string): Promise<DatasetsTable | undefined> {
  const [row] = await findById(db, { id });
  return row;
}

/** The names of datasets, without deleted ones. */
export async function findDatasetNames(db: Db, ids: readonly string[]): Promise<Pick<DatasetsTable, 'id' | 'name'>[]> {
  return db
    .selectFrom('datasets')
    .select(['id', 'name'])
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`id in ${keysTable(db, ids)}`)
    .execute();
}

export type TagOfDataset = Pick<TagsTable, 'id' | 'name' | 'color'>;

type JoinedTag = { tag_id: string | null; tag_name: string; tag_color: string; tag_key: string };

const findJoined = prepared<{ id: string }, DatasetsTable & JoinedTag>((db, p) =>
  db
    .selectFrom('datasets')
    .leftJoin('dataset_tags', 'dataset_tags.dataset_id', 'datasets.id')
    .leftJoin('tags', 'tags.id', 'dataset_tags.tag_id')
    .selectAll('datasets')
    .select((eb) => [
      'tags.id as tag_id',
      eb.ref('tags.name').$notNull().as('tag_name'),
      eb.ref('tags.color').$notNull().as('tag_color'),
      eb.ref('tags.name_key').$notNull().as('tag_key'),
    ])
    .where('datasets.id', '=', p('id'))
    .where('datasets.deleted_at', 'is', null),
);

/**
 * A dataset that isn't deleted, with its tags by name. One statement, because each costs 2 µs of locks on top of its rows; sorted
 * here, because SQLite sets up a sorter (3 µs) even for no rows.
 */
export async function findDatasetWithTags(
  db: Db,
  id: string,
): Promise<{ row: DatasetsTable; tags: TagOfDataset[] } | undefined> {
  const rows = await findJoined(db, { id });
  const [row] = rows;
  if (row === undefined) return undefined;
  const named = rows.length > 1 ? rows.sort((a, b) => compareBytes(a.tag_key, b.tag_key)) : rows;
  const tags: TagOfDataset[] = [];
  for (const { tag_id, tag_name, tag_color } of named)
    if (tag_id !== null) tags.push({ id: tag_id, name: tag_name, color: tag_color });
  return { row, tags };
}

/** Compares in UTF-8 order, as the databases do; JavaScript's order differs beyond the basic plane. */
function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

export async function listDatasets(
  db: Db,
  filter: DatasetFilter,
  { column, direction }: DatasetOrder,
  { limit, offset }: { limit: number; offset: number },
): Promise<DatasetsTable[]> {
  return db
    .selectFrom('datasets')
    .selectAll()
    .where((eb) => eb.and(conditions(db, eb, filter)))
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countDatasets(db: Db, filter: DatasetFilter): Promise<number> {
  const { count } = await db
    .selectFrom('datasets')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where((eb) => eb.and(conditions(db, eb, filter)))
    .executeTakeFirstOrThrow();
  return count;
}

function conditions(
  db: Db,
  eb: ExpressionBuilder<Tables, 'datasets'>,
  { type, status, keyword, tagKeys, hasErrors = false }: DatasetFilter,
): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = [eb('deleted_at', 'is', null)];
  if (type !== undefined) all.push(eb('type', '=', type));
  if (status !== undefined) all.push(eb('status', '=', status));
  if (keyword !== undefined) all.push(contains(db, sql.ref('search_text'), keyword));
  if (tagKeys.length > 0)
    all.push(
      sql<boolean>`(select count(*) from dataset_tags join tags on tags.id = dataset_tags.tag_id
        where dataset_tags.dataset_id = datasets.id and tags.name_key in ${keysTable(db, tagKeys)}) = ${tagKeys.length}`,
    );
  if (hasErrors)
    all.push(
      sql<boolean>`exists (select 1 from dataset_counts
        where dataset_counts.dataset_id = datasets.id and dataset_counts.status = 'ERROR' and dataset_counts.file_count > 0)`,
    );
  return all;
}

export async function insertDataset(tx: Tx, row: DatasetsTable): Promise<void> {
  await tx.insertInto('datasets').values(row).execute();
}

export async function updateDataset(tx: Tx, id: string, values: Partial<DatasetsTable>): Promise<void> {
  await tx.updateTable('datasets').set(values).where('id', '=', id).execute();
}

/** Deleted datasets whose rows are still stored. */
export async function listDeletedDatasets(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('datasets')
    .select('id')
    .where('deleted_at', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export async function deleteDatasetRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('datasets').where('id', '=', id).execute();
}
