import { sql } from 'kysely';
import type { Db } from '../../storage/database/database.ts';
import { contains } from '../../storage/database/sql.ts';

/** How many cleaning tasks use each operator. */
export async function countUses(db: Db, operatorIds: readonly string[]): Promise<Map<string, number>> {
  const uses = new Map<string, number>();
  for (const id of operatorIds) {
    const { count } = await db
      .selectFrom('cleaning_tasks')
      .select((query) => query.fn.countAll<number>().as('count'))
      .where(contains(db, sql`steps`, `"operatorId":${JSON.stringify(id)}`))
      .executeTakeFirstOrThrow();
    uses.set(id, count);
  }
  return uses;
}
