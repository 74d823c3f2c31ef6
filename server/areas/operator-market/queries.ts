import { sql } from 'kysely';
import type { Db } from '../../storage/database/database.ts';
import { contains } from '../../storage/database/sql.ts';

/** How many cleaning tasks use each operator. */
export async function countUses(db: Db, operatorIds: readonly string[]): Promise<Map<string, number>> {
  if (operatorIds.length === 0) return new Map();
  // One pass over the tasks for all operators.
  const sums = operatorIds.map((id, index) => {
    const uses = contains(db, sql`steps`, `"operatorId":${JSON.stringify(id)}`);
    return sql`coalesce(sum(case when ${uses} then 1 else 0 end), 0) as ${sql.ref(`uses_${index}`)}`;
  });
  const { rows } = await sql<Record<string, number>>`select ${sql.join(sums)} from cleaning_tasks`.execute(db);
  return new Map(operatorIds.map((id, index) => [id, rows[0]?.[`uses_${index}`] ?? 0]));
}
