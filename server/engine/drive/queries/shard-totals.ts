import { sql } from 'kysely';
import type { Db } from '../../../storage/database/database.ts';

export type ShardTotals = {
  shards: number;
  done: number;
  ledger_lines: number;
  count_in: number;
  count_kept: number;
  count_changed: number;
  count_dropped: number;
  count_failed: number;
  count_emitted: number;
};

/** Totals of all shards of a run. */
export async function sumShards(db: Db, runId: string): Promise<ShardTotals> {
  return db
    .selectFrom('shards')
    .select((query) => [
      query.fn.countAll<number>().as('shards'),
      sql<number>`coalesce(sum(case when status = 'DONE' then 1 else 0 end), 0)`.as('done'),
      sql<number>`coalesce(sum(ledger_lines), 0)`.as('ledger_lines'),
      ...summedCounts(),
    ])
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
}

function summedCounts() {
  return [
    sql<number>`coalesce(sum(count_in), 0)`.as('count_in'),
    sql<number>`coalesce(sum(count_kept), 0)`.as('count_kept'),
    sql<number>`coalesce(sum(count_changed), 0)`.as('count_changed'),
    sql<number>`coalesce(sum(count_dropped), 0)`.as('count_dropped'),
    sql<number>`coalesce(sum(count_failed), 0)`.as('count_failed'),
    sql<number>`coalesce(sum(count_emitted), 0)`.as('count_emitted'),
  ] as const;
}

export type SourceTotals = Omit<ShardTotals, 'shards' | 'done' | 'ledger_lines'> & { source_dataset_id: string };

/** Totals by dataset id; empty for a run that reads only one. */
export async function sumShardsBySource(db: Db, runId: string): Promise<SourceTotals[]> {
  return db
    .selectFrom('shards')
    .select([sql<string>`source_dataset_id`.as('source_dataset_id'), ...summedCounts()])
    .where('run_id', '=', runId)
    .where('source_dataset_id', 'is not', null)
    .groupBy('source_dataset_id')
    .orderBy('source_dataset_id')
    .execute();
}
