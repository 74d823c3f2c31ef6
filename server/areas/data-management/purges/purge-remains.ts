import { countCallsOfRuns } from '../../../models/index.ts';
import { findRunTraces, listRunTraces, type Runs, type RunTrace } from '../../../runs/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import { listContentCopies, type FileState } from '../queries/purges.ts';
import type { PurgeReport } from '../schemas/purges.ts';

/** Finds what is left of purged files elsewhere. */
export type PurgeRemains = {
  /** Copies of the content, and runs that have read it or read it now. */
  list(datasetId: string, fileIds: readonly string[], states: readonly FileState[]): Promise<PurgeReport['left']>;
  /** The report, with the outcome of the runs that were in progress at the purge. */
  withEndedRuns(report: PurgeReport): Promise<PurgeReport>;
};

const listedAtMost = 100;

export function createPurgeRemains({
  db,
  runs,
}: {
  db: Database;
  runs: Pick<Runs, 'listReading' | 'findRuns'>;
}): PurgeRemains {
  async function leftOf(traces: readonly RunTrace[]): Promise<PurgeReport['left']['runs']> {
    const calls = await countCallsOfRuns(
      db.scan,
      traces.map(({ runId }) => runId),
    );
    return traces.map(({ runId, area, taskId, isStored: stored, ingredients: { taskName }, datasets }) => {
      const results = datasets.flatMap(({ role, datasetId: id, version }) =>
        role === 'TARGET' ? [{ datasetId: id, version }] : [],
      );
      return { runId, area, taskId, taskName, underWay: false, stored, modelCalls: calls.get(runId) ?? 0, results };
    });
  }

  return {
    async list(datasetId, fileIds, states) {
      const blobIds = [...new Set(states.flatMap(({ blob_id: id }) => id ?? []))];
      const copies = await listContentCopies(db.scan, { blobIds, fileIds }, listedAtMost);
      const spans = states.map(({ added_version: from, ended_version: ended }) => {
        return { datasetId, from, to: ended === null ? undefined : ended - 1 };
      });
      const traces = await listRunTraces(db.scan, 'in', spans, listedAtMost);
      const ended = await leftOf(traces);
      const reading = await runs.listReading(db.scan, spans, listedAtMost);
      const calls = await countCallsOfRuns(
        db.scan,
        reading.map(({ run }) => run.id),
      );
      const underWay = reading.map(({ run: { id: runId, area, taskId }, taskName }) => {
        const modelCalls = calls.get(runId) ?? 0;
        return { runId, area, taskId, taskName, underWay: true, stored: true, modelCalls, results: [] };
      });
      return { copies, runs: [...underWay, ...ended].slice(0, listedAtMost) };
    },
    async withEndedRuns(report) {
      const waiting = report.left.runs.filter(({ underWay }) => underWay).map(({ runId }) => runId);
      const found = new Map((await leftOf(await findRunTraces(db.read, waiting))).map((run) => [run.runId, run]));
      const stored = await runs.findRuns(db.read, waiting);
      const listed = report.left.runs.map((run) => {
        const { status } = stored.get(run.runId) ?? {};
        const underWay = status === 'QUEUED' || status === 'RUNNING';
        return found.get(run.runId) ?? { ...run, underWay: run.underWay && underWay };
      });
      return { ...report, left: { ...report.left, runs: listed } };
    },
  };
}
