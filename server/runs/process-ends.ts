import { runSentences } from '../kernel/sentences/index.ts';
import { RunFailure } from '../kernel/run-failure.ts';
import type { Tx } from '../storage/database/database.ts';
import type { ClaimedRun } from './queries/leases.ts';
import { insertLog } from './queries/logs.ts';
import type { RunKind } from './run-kind.ts';
import { endRun } from './queries/run-progress.ts';

/** A run is not driven again after this many process ends without progress. */
const mostProcessEnds = 3;

/** A run is no longer suspect if its process survives this long, even without progress. */
export const suspicionMs = 60_000;

/**
 * Claims the next run whose process ended while driving it. Runs that ended their process too often fail instead,
 * whatever the cause, so that the service can come up; they can be resumed.
 */
export async function claimSuspect(
  tx: Tx,
  claim: () => Promise<ClaimedRun[]>,
  options: { kinds: ReadonlyMap<string, RunKind>; finishedAt: string; onFailed: (runId: string) => void },
): Promise<ClaimedRun[]> {
  for (;;) {
    const [row] = await claim();
    if (row === undefined) return [];
    const kind = options.kinds.get(row.kind);
    if (row.process_ends < (kind?.mostProcessEnds ?? mostProcessEnds)) return [row];
    await failFatal(tx, row, kind, options.finishedAt);
    options.onFailed(row.id);
  }
}

async function failFatal(tx: Tx, row: ClaimedRun, kind: RunKind | undefined, finishedAt: string): Promise<void> {
  const { id, epoch, process_ends: times } = row;
  const position = await kind?.findPosition?.(tx, id);
  const message =
    position === undefined
      ? runSentences.PROCESS_ENDED.reason({ times })
      : runSentences.PROCESS_ENDED_AT.reason({ times, position });
  await endRun(tx, { id, epoch, status: 'FAILED', finishedAt, error: message });
  await insertLog(tx, { run_id: id, time: finishedAt, level: 'ERROR', message });
  await kind?.ended?.(tx, { taskId: row.task_id, error: new RunFailure(message), finishedAt });
}
