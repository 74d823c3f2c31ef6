import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../storage/database/database.ts';
import { contains, dialectOf, keysTable } from '../../storage/database/sql.ts';
import type { TasksTable } from '../../storage/database/tables/tasks.ts';
import type { NamedOrder } from '../named-rows.ts';
import type { TaskStatus } from '../schemas.ts';

export async function insertTask(tx: Tx, row: TasksTable): Promise<void> {
  await tx.insertInto('tasks').values(row).execute();
}

export async function updateTask(tx: Tx, id: string, values: Partial<TasksTable>): Promise<void> {
  await tx.updateTable('tasks').set(values).where('id', '=', id).execute();
}

export async function deleteTask(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('task_links').where('task_id', '=', id).execute();
  await tx.deleteFrom('tasks').where('id', '=', id).execute();
}

export async function findTask(db: Db, area: string, id: string): Promise<TasksTable | undefined> {
  return db.selectFrom('tasks').selectAll().where('id', '=', id).where('area', '=', area).executeTakeFirst();
}

/** The tasks with these ids, in no particular order. */
export async function findTasks(db: Db, ids: readonly string[]): Promise<TasksTable[]> {
  return db
    .selectFrom('tasks')
    .selectAll()
    .where(sql<boolean>`id in ${keysTable(db, ids)}`)
    .execute();
}

/** The row, locked until the end of the transaction. */
export async function lockTask(tx: Tx, area: string, id: string): Promise<TasksTable | undefined> {
  const query = tx.selectFrom('tasks').selectAll().where('id', '=', id).where('area', '=', area);
  return (dialectOf(tx) === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
}

export type TaskFilter = {
  area: string;
  status?: TaskStatus | undefined;
  /** Normalised by `searchTextOf`. */
  keyword?: string | undefined;
  operatorId?: string | undefined;
};

export async function listTasks(
  db: Db,
  filter: TaskFilter,
  { column, direction }: NamedOrder,
  { limit, offset }: { limit: number; offset: number },
): Promise<TasksTable[]> {
  return db
    .selectFrom('tasks')
    .leftJoin('runs', 'runs.id', 'tasks.last_run_id')
    .selectAll('tasks')
    .where(condition(db, filter))
    .orderBy(`tasks.${column}`, direction)
    .orderBy('tasks.id', direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countTasks(db: Db, filter: TaskFilter): Promise<number> {
  const { count } = await db
    .selectFrom('tasks')
    .leftJoin('runs', 'runs.id', 'tasks.last_run_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(condition(db, filter))
    .executeTakeFirstOrThrow();
  return count;
}

function condition(db: Db, { area, status, keyword, operatorId }: TaskFilter): RawBuilder<boolean> {
  const all: RawBuilder<unknown>[] = [sql`tasks.area = ${area}`];
  if (status === 'PENDING') all.push(sql`runs.id is null`);
  else if (status === 'RUNNING') all.push(sql`runs.status in ('QUEUED', 'RUNNING')`);
  else if (status !== undefined) all.push(sql`runs.status = ${status}`);
  if (keyword !== undefined) all.push(contains(db, sql`tasks.search_text`, keyword));
  if (operatorId !== undefined) {
    all.push(
      sql`tasks.id in (select task_id from task_links where task_links.role = 'OPERATOR' and task_links.ref = ${operatorId})`,
    );
  }
  return sql<boolean>`${sql.join(all, sql` and `)}`;
}

/** Names of tasks of any area. */
export async function listTaskNames(db: Db, ids: readonly string[]): Promise<Pick<TasksTable, 'id' | 'name'>[]> {
  return db
    .selectFrom('tasks')
    .select(['id', 'name'])
    .where(sql<boolean>`id in ${keysTable(db, ids)}`)
    .execute();
}

/** Due tasks, longest overdue first. */
export async function listDueTasks(db: Db, now: string, limit: number): Promise<Pick<TasksTable, 'id' | 'area'>[]> {
  return db
    .selectFrom('tasks')
    .select(['id', 'area'])
    .where('next_run_at', '<=', now)
    .orderBy('next_run_at')
    .limit(limit)
    .execute();
}
