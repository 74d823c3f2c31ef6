import type { Counts } from '../kernel/counts.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';

export type CountColumns = Pick<
  RunsTable,
  'count_in' | 'count_kept' | 'count_changed' | 'count_dropped' | 'count_failed' | 'count_emitted'
>;

export function countsOf(row: CountColumns): Counts {
  return {
    in: row.count_in,
    kept: row.count_kept,
    changed: row.count_changed,
    dropped: row.count_dropped,
    failed: row.count_failed,
    emitted: row.count_emitted,
  };
}
