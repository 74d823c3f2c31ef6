import { sql } from 'kysely';
import type { Db, Tx } from '../../storage/database/database.ts';
import { keysTable } from '../../storage/database/sql.ts';
import type { TaskLinksTable } from '../../storage/database/tables/tasks.ts';

export async function replaceLinks(
  tx: Tx,
  taskId: string,
  links: readonly Omit<TaskLinksTable, 'task_id'>[],
): Promise<void> {
  await tx.deleteFrom('task_links').where('task_id', '=', taskId).execute();
  if (links.length === 0) return;
  await tx
    .insertInto('task_links')
    .values(links.map(({ role, ref }) => ({ task_id: taskId, role, ref })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Number of tasks that refer to each of these; unused ones are left out. */
export async function countLinks(
  db: Db,
  role: TaskLinksTable['role'],
  refs: readonly string[],
): Promise<{ ref: string; count: number }[]> {
  return db
    .selectFrom('task_links')
    .select((query) => ['ref', query.fn.countAll<number>().as('count')])
    .where('role', '=', role)
    .where(sql<boolean>`ref in ${keysTable(db, refs)}`)
    .groupBy('ref')
    .execute();
}
