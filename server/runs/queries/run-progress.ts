import type { FailureColumns } from '../../kernel/failure-counts.ts';
import type { Reason } from '../../kernel/reason.ts';
import { reasonColumns, type ReasonColumns } from '../../kernel/stored-reason.ts';
import { sql } from 'kysely';
import type { Tx } from '../../storage/database/database.ts';
import { prepared } from '../../storage/database/prepared.ts';
import type { RunsTable } from '../../storage/database/tables/runs.ts';
import type { Counts } from '../../kernel/counts.ts';
import { now } from './leases.ts';

/** Ends an unfinished run, if it has the given epoch; returns its updated row. */
export async function endRun(
  tx: Tx,
  end: {
    id: string;
    epoch?: number;
    status: 'COMPLETED' | 'FAILED' | 'STOPPED';
    finishedAt: string;
    error: Reason | null;
  },
): Promise<RunsTable | undefined> {
  const { id, epoch = null, status, finishedAt, error } = end;
  const [row] = await setEnd(tx, { id, epoch, status, finishedAt, ...reasonColumns('error', error) });
  return row;
}

const setEnd = prepared<
  { id: string; epoch: number | null; status: string; finishedAt: string } & ReasonColumns<'error'>,
  RunsTable
>(
  (_, p) => sql`update runs set status = ${p('status')}, finished_at = ${p('finishedAt')}, error = ${p('error')},
      error_sentence = ${p('error_sentence')}, lease_place = null, lease_until = null,
      waiting_for = null, waiting_for_sentence = null
    where id = ${p('id')} and status in ('QUEUED', 'RUNNING') and epoch = coalesce(cast(${p('epoch')} as bigint), epoch)
    returning *`,
);

/** What a checkpoint adds to the figures of its run. */
export type Progress = {
  /** The total work, which marks the run as planned. */
  total?: number;
  done?: number;
  counts?: Counts;
  skipped?: number;
  phase?: string;
  /** Samples processed in the phase: a total together with `phase`, otherwise an increment. */
  phaseSamples?: number;
};

type ProgressValues = {
  id: string;
  epoch: number;
  leaseMs: number;
  total: number | null;
  done: number;
  phase: string | null;
  phaseSamples: number;
};

const addWork = prepared<ProgressValues, FailureColumns>(
  (db, p) => sql`update runs set
      lease_until = ${now(db)} + ${p('leaseMs')},
      work_done = work_done + ${p('done')},
      process_ends = case when ${p('done')} > 0 or cast(${p('total')} as bigint) is not null then 0 else process_ends end,
      planned = case when cast(${p('total')} as bigint) is null then planned else 1 end,
      work_total = coalesce(cast(${p('total')} as bigint), work_total),
      phase_samples = cast(${p('phaseSamples')} as bigint) + case when cast(${p('phase')} as text) is null then phase_samples else 0 end,
      phase = coalesce(cast(${p('phase')} as text), phase)
    where id = ${p('id')} and epoch = ${p('epoch')} and status = 'RUNNING'
    returning failures, failure_sentences`,
);

/** Adds to a run's figures and renews its lease; undefined if this process no longer owns it: write nothing then. */
export async function addProgress(
  tx: Tx,
  { id, epoch, leaseMs }: { id: string; epoch: number; leaseMs: number },
  { total, done = 0, counts, skipped = 0, phase, phaseSamples = 0 }: Progress,
): Promise<FailureColumns | undefined> {
  const [held] = await addWork(tx, {
    id,
    epoch,
    leaseMs,
    done,
    phaseSamples,
    total: total ?? null,
    phase: phase ?? null,
  });
  if (held !== undefined && (counts !== undefined || skipped > 0)) await addCounts(tx, id, counts, skipped);
  return held;
}

export async function addCounts(tx: Tx, id: string, counts: Counts | undefined, skipped = 0): Promise<void> {
  await tx
    .updateTable('runs')
    .set({
      count_skipped: sql<number>`count_skipped + ${skipped}`,
      ...(counts === undefined
        ? {}
        : {
            count_in: sql<number>`count_in + ${counts.in}`,
            count_kept: sql<number>`count_kept + ${counts.kept}`,
            count_changed: sql<number>`count_changed + ${counts.changed}`,
            count_dropped: sql<number>`count_dropped + ${counts.dropped}`,
            count_failed: sql<number>`count_failed + ${counts.failed}`,
            count_emitted: sql<number>`count_emitted + ${counts.emitted}`,
          }),
    })
    .where('id', '=', id)
    .execute();
}

/** Says what a run waits for; false if this process no longer owns it. */
export async function setWaiting(
  tx: Tx,
  { id, epoch }: { id: string; epoch: number },
  reason: Reason | null,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('runs')
    .set(reasonColumns('waiting_for', reason))
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('status', '=', 'RUNNING')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function setFailures(tx: Tx, id: string, failures: FailureColumns): Promise<void> {
  await tx.updateTable('runs').set(failures).where('id', '=', id).execute();
}
