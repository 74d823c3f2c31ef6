import { sql, type RawBuilder } from 'kysely';
import type { SortDirection } from '../../kernel/page.ts';
import type { Db, Tx } from '../../storage/database/database.ts';
import { contains, dialectOf, keysTable } from '../../storage/database/sql.ts';
import type { CleaningTasksTable } from '../../storage/database/tables/data-cleaning.ts';
import type { DatasetsTable, FilesTable } from '../../storage/database/tables/datasets.ts';
import type { RunsTable } from '../../storage/database/tables/runs.ts';
import type { TaskInput, TaskStatus } from './schemas.ts';

/** A task with the names that its datasets have now, and the state of its latest run. */
export type TaskRow = CleaningTasksTable & {
  source_name: string | null;
  target_name: string | null;
  run_status: RunsTable['status'] | null;
};

const withNames = (db: Db) =>
  db
    .selectFrom('cleaning_tasks')
    .leftJoin('datasets as source', 'source.id', 'cleaning_tasks.source_dataset_id')
    .leftJoin('datasets as target', 'target.id', 'cleaning_tasks.target_dataset_id')
    .leftJoin('runs', 'runs.id', 'cleaning_tasks.last_run_id')
    .selectAll('cleaning_tasks')
    .select(['source.name as source_name', 'target.name as target_name', 'runs.status as run_status']);

export async function insertTask(tx: Tx, row: CleaningTasksTable): Promise<void> {
  await tx.insertInto('cleaning_tasks').values(row).execute();
}

export async function updateTask(tx: Tx, id: string, values: Partial<CleaningTasksTable>): Promise<void> {
  await tx.updateTable('cleaning_tasks').set(values).where('id', '=', id).execute();
}

export async function deleteTask(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('cleaning_tasks').where('id', '=', id).execute();
}

export async function findTask(db: Db, id: string): Promise<TaskRow | undefined> {
  return withNames(db).where('cleaning_tasks.id', '=', id).executeTakeFirst();
}

/** The row alone, which nobody else changes until this transaction ends. */
export async function lockTask(tx: Tx, id: string): Promise<CleaningTasksTable | undefined> {
  const query = tx.selectFrom('cleaning_tasks').selectAll().where('id', '=', id);
  return (dialectOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

export type TaskFilter = {
  status?: TaskStatus | undefined;
  /** In the form of search texts. */
  keyword?: string | undefined;
};

export type TaskOrder = { column: 'name_key' | 'created_at' | 'updated_at'; direction: SortDirection };

export async function listTasks(
  db: Db,
  filter: TaskFilter,
  { column, direction }: TaskOrder,
  { limit, offset }: { limit: number; offset: number },
): Promise<TaskRow[]> {
  return withNames(db)
    .where(condition(db, filter))
    .orderBy(`cleaning_tasks.${column}`, direction)
    .orderBy('cleaning_tasks.id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countTasks(db: Db, filter: TaskFilter): Promise<number> {
  const { count } = await db
    .selectFrom('cleaning_tasks')
    .leftJoin('runs', 'runs.id', 'cleaning_tasks.last_run_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(condition(db, filter))
    .executeTakeFirstOrThrow();
  return count;
}

function condition(db: Db, { status, keyword }: TaskFilter): RawBuilder<boolean> {
  const all: RawBuilder<unknown>[] = [];
  if (status === 'PENDING') all.push(sql`runs.id is null`);
  else if (status === 'RUNNING') all.push(sql`runs.status in ('QUEUED', 'RUNNING')`);
  else if (status !== undefined) all.push(sql`runs.status = ${status}`);
  if (keyword !== undefined) all.push(contains(db, sql`cleaning_tasks.search_text`, keyword));
  return all.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(all, sql` and `)}`;
}

/** A dataset that isn't deleted, and that nobody deletes until this transaction ends. */
export async function lockDataset(tx: Tx, id: string): Promise<DatasetsTable | undefined> {
  const query = tx.selectFrom('datasets').selectAll().where('id', '=', id).where('deleted_at', 'is', null);
  return (dialectOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

/** A dataset that isn't deleted. */
export async function findDataset(db: Db, id: string): Promise<DatasetsTable | undefined> {
  return db.selectFrom('datasets').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst();
}

export type SourceFile = Pick<FilesTable, 'file_id' | 'path' | 'size_bytes' | 'blob_id' | 'status'>;

/** Files of a version of the source in path order behind `after`; either half of the union has an index of its own. */
export async function listSourceFiles(
  db: Db,
  source: { datasetId: string; version: number; input: Pick<TaskInput, 'prefix' | 'fileTypes'> },
  after: string,
  limit: number,
): Promise<SourceFile[]> {
  const { datasetId, version, input } = source;
  const below = input.prefix === '' ? sql`` : sql`and path >= ${`${input.prefix}/`} and path < ${`${input.prefix}0`}`;
  const types = input.fileTypes.length === 0 ? sql`` : sql`and file_type in ${keysTable(db, input.fileTypes)}`;
  const half = (ended: RawBuilder<unknown>): RawBuilder<unknown> => sql`select * from (
      select file_id, path, size_bytes, blob_id, status from files
      where dataset_id = ${datasetId} and path > ${after} and added_version <= ${version} and ${ended} ${below} ${types}
      order by path limit ${limit}) as half`;
  const { rows } = await sql<SourceFile>`
    ${half(sql`ended_version is null`)}
    union all
    ${half(sql`ended_version is not null and ended_version > ${version}`)}
    order by path limit ${limit}`.execute(db);
  return rows;
}
