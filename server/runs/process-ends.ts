import { runSentences } from '../kernel/sentences.ts';
import { RunFailure } from '../kernel/run-failure.ts';
import type { Tx } from '../storage/database/database.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import { insertLog } from './queries/logs.ts';
import { endRun } from './queries/runs.ts';
import type { RunKind } from './run-kind.ts';

/** A run during which the process has ended this often without any progress is not driven again. */
const mostProcessEnds = 3;

/** A run is beyond suspicion if its process still lives after this time, even without progress. */
export const suspicionMs = 60_000;

/**
 * Fails the claimed runs that have ended their processes again and again: whatever the cause, the service must come up. They can be
 * resumed. Returns the others.
 */
export async function failFatalRuns<R extends RunsTable>(
  tx: Tx,
  rows: readonly R[],
  { kinds, finishedAt }: { kinds: ReadonlyMap<string, RunKind>; finishedAt: string },
): Promise<R[]> {
  const usable: R[] = [];
  for (const row of rows) {
    const kind = kinds.get(row.kind);
    if (row.process_ends < (kind?.mostProcessEnds ?? mostProcessEnds)) {
      usable.push(row);
      continue;
    }
    const position = await kind?.findPosition?.(tx, row.id);
    const times = row.process_ends;
    const message =
      position === undefined
        ? runSentences.PROCESS_ENDED({ times })
        : runSentences.PROCESS_ENDED_AT({ times, position });
    const { id, epoch } = row;
    if ((await endRun(tx, { id, epoch, status: 'FAILED', finishedAt, error: message })) === undefined) continue;
    await insertLog(tx, { run_id: id, time: finishedAt, level: 'ERROR', message });
    await kind?.ended?.(tx, { taskId: row.task_id, error: new RunFailure(message), finishedAt });
  }
  return usable;
}
