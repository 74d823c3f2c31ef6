import { isoNow, type Clock } from '../kernel/clock.ts';
import { noCounts } from '../kernel/counts.ts';
import { newId } from '../kernel/ids.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import type { RunDatasetsTable, RunsTable } from '../storage/database/tables/runs.ts';
import { findRun, findTurns, insertRuns, nextRunNumber } from './queries/runs.ts';
import type { RunKind } from './run-kind.ts';
import { toRun, type Run } from './run.ts';
import { insertRunDatasets } from './queries/run-datasets.ts';

/** A dataset that a run reads, writes, or compares its samples with. */
export type RunDataset = { datasetId: string; role: 'SOURCE' | 'TARGET' | 'REFERENCE'; version: number | null };

export type NewRun = {
  area: string;
  /** Default: the kind named like the area. */
  kind?: string;
  taskId: string;
  /** Owners take turns; default: each task is its own owner. */
  owner?: string;
  by: string;
  details: unknown;
  datasets: readonly RunDataset[];
  /** The run whose failed samples are its input. */
  failedOf?: string;
};

/** The queue of runs waiting to be driven. */
export type RunQueue = {
  /** Queues a run; throws a unique violation if the task has an unfinished run. Call `wake` after the commit. */
  enqueue(tx: Tx, run: NewRun): Promise<Run>;
  /** Like `enqueue`, for many tasks that have had no run yet. */
  enqueueFirst(tx: Tx, runs: readonly NewRun[]): Promise<void>;
  /** Like `enqueue`, but continues the finished work of an earlier run, which keeps its ledger. */
  resume(tx: Tx, run: NewRun, fromRunId: string): Promise<Run>;
};

export function createRunQueue({
  db,
  clock,
  kinds,
  place,
}: {
  db: Pick<Database, 'dialect'>;
  clock: Clock;
  /** Kinds by name. */
  kinds: ReadonlyMap<string, RunKind>;
  /** Identifies the data folder, which only this process uses. */
  place: string;
}): RunQueue {
  async function enqueue(tx: Tx, run: NewRun, resumed: RunsTable | undefined): Promise<Run> {
    const row = rowOf(run, await nextRunNumber(tx, run.area, run.taskId), resumed);
    await giveTurns(tx, [row]);
    await insertRuns(tx, [row]);
    await insertRunDatasets(tx, datasetRowsOf(run, row));
    return toRun(row);
  }

  function rowOf(run: NewRun, number: number, resumed?: RunsTable): RunsTable {
    const { area, kind = area, taskId, owner = taskId, by, details, failedOf = null } = run;
    return {
      ...workOf(resumed),
      id: newId(),
      area,
      kind,
      task_id: taskId,
      owner,
      turn: 0,
      number,
      status: 'QUEUED',
      phase: null,
      phase_samples: 0,
      waiting_for: null,
      waiting_for_sentence: null,
      details: JSON.stringify(details),
      created_at: isoNow(clock),
      created_by: by,
      started_at: null,
      finished_at: null,
      error: null,
      error_sentence: null,
      resumed_from: resumed?.id ?? null,
      failed_of: resumed?.failed_of ?? failedOf,
      epoch: 0,
      process_ends: 0,
      lease_place: null,
      lease_until: null,
      bound_to: db.dialect === 'postgres' && kinds.get(kind)?.needsOwnPlace === true ? place : null,
    };
  }

  /** Gives an owner's n-th waiting run the n-th turn from the first waiting one, so that new owners come up soon. */
  async function giveTurns(tx: Tx, rows: readonly RunsTable[]): Promise<void> {
    const next = new Map<string, number>();
    for (const row of rows) {
      const { owner, kind, bound_to: boundTo } = row;
      const key = JSON.stringify([owner, kind]);
      let turn = next.get(key);
      if (turn === undefined) {
        const { first, last } = await findTurns(tx, { owner, kind, boundTo });
        turn = Math.max(first ?? 0, last === null ? 0 : last + 1);
      }
      row.turn = turn;
      next.set(key, turn + 1);
    }
  }

  return {
    enqueue: (tx, run) => enqueue(tx, run, undefined),
    async enqueueFirst(tx, all) {
      const rows = all.map((run) => ({ run, row: rowOf(run, 1) }));
      const inserted = rows.map(({ row }) => row);
      await giveTurns(tx, inserted);
      await insertRuns(tx, inserted);
      await insertRunDatasets(
        tx,
        rows.flatMap(({ run, row }) => datasetRowsOf(run, row)),
      );
    },
    async resume(tx, run, fromRunId) {
      const from = await findRun(tx, fromRunId);
      if (from === undefined) throw new Error(`There is no run ${fromRunId}`);
      const resumed = await enqueue(tx, run, from);
      await kinds.get(from.kind)?.resume?.(tx, fromRunId, resumed.id);
      return resumed;
    },
  };
}

function datasetRowsOf({ datasets }: NewRun, { id }: RunsTable): RunDatasetsTable[] {
  return datasets.map(({ datasetId, role, version }) => ({ run_id: id, dataset_id: datasetId, role, version }));
}

type Work = Pick<
  RunsTable,
  | 'planned'
  | 'work_total'
  | 'work_done'
  | 'count_in'
  | 'count_kept'
  | 'count_changed'
  | 'count_dropped'
  | 'count_failed'
  | 'count_emitted'
  | 'count_skipped'
  | 'failures'
  | 'failure_sentences'
>;

/** Initial work of a run: that of the run it resumes, if any. */
function workOf(from: RunsTable | undefined): Work {
  return {
    planned: from?.planned ?? 0,
    work_total: from?.work_total ?? 0,
    work_done: from?.work_done ?? 0,
    count_in: from?.count_in ?? noCounts.in,
    count_kept: from?.count_kept ?? noCounts.kept,
    count_changed: from?.count_changed ?? noCounts.changed,
    count_dropped: from?.count_dropped ?? noCounts.dropped,
    count_failed: from?.count_failed ?? noCounts.failed,
    count_emitted: from?.count_emitted ?? noCounts.emitted,
    count_skipped: from?.count_skipped ?? 0,
    failures: from?.failures ?? '{}',
    failure_sentences: from?.failure_sentences ?? null,
  };
}
