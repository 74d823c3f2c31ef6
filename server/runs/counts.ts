import type { RunsTable } from '../storage/database/tables/runs.ts';

/** Counts of inputs: `in = kept + dropped + failed`; `changed` is part of `kept`, `emitted` was written. */
export type Counts = { in: number; kept: number; changed: number; dropped: number; failed: number; emitted: number };

export const noCounts: Counts = { in: 0, kept: 0, changed: 0, dropped: 0, failed: 0, emitted: 0 };

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
