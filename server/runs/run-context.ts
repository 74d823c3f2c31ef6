import { runSentences } from '../kernel/sentences/index.ts';
import { isoNow, type Clock } from '../kernel/clock.ts';
import type { Tx } from '../storage/database/database.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import { addFailures } from '../kernel/failure-counts.ts';
import { insertLog } from './queries/logs.ts';
import { lockRun } from './queries/runs.ts';
import { RunLetGo } from './run-errors.ts';
import type { CheckpointProgress, RunContext, RunKind } from './run-kind.ts';
import { toRun } from './run.ts';
import { recordTrace } from './traces.ts';
import { addProgress, endRun, setFailures, setWaiting } from './queries/run-progress.ts';
import { setTargets } from './queries/run-datasets.ts';

/** The context of a run that this process owns. */
export function createRunContext(
  options: {
    write: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
    clock: Clock;
    leaseMs: number;
    changed: (runId: string) => void;
    kind: Pick<RunKind, 'trace'>;
    /** Called when the run makes progress, which clears the suspicion that it ends its process. */
    progressed: () => void;
    /** Called for each line of its log. */
    logged: () => void;
  },
  { id, epoch, planned, work_done: doneBefore, process_ends: processEnds }: RunsTable,
  signal: AbortSignal,
): RunContext & { readonly isCompleted: boolean } {
  const { write, clock, leaseMs, changed, kind, progressed, logged } = options;
  let isCompleted = false;
  return {
    signal,
    epoch,
    isSuspect: processEnds > 0,
    isPlanned: planned === 1,
    doneBefore,
    get isCompleted() {
      return isCompleted;
    },

    async checkpoint(progress, work) {
      const result = await write(async (tx) => {
        const add = async (added: CheckpointProgress): Promise<void> => {
          const held = await addProgress(tx, { id, epoch, leaseMs }, added);
          if (held === undefined) throw new RunLetGo('The run has ended or went over to another process');
          if (added.failures !== undefined && added.failures.size > 0) {
            await setFailures(tx, id, addFailures(held, added.failures));
          }
        };
        // First: locks the run, so that no process can claim it until this transaction ends.
        await add(progress);
        return work?.(tx, add);
      });
      if ((progress.done ?? 0) > 0 || progress.total !== undefined) progressed();
      changed(id);
      return result;
    },

    async complete(work, progress) {
      const finishedAt = isoNow(clock);
      await write(async (tx) => {
        if (progress !== undefined) await addProgress(tx, { id, epoch, leaseMs }, progress);
        // Locks the run as well.
        const row = await endRun(tx, { id, epoch, status: 'COMPLETED', finishedAt, error: null });
        if (row === undefined) throw new RunLetGo('The run has ended or went over to another process');
        const run = toRun({ ...row, status: 'RUNNING', finished_at: null });
        await work(tx, {
          run,
          work: { total: row.work_total, done: row.work_done },
          finishedAt,
          setTargets: (targets) => setTargets(tx, id, targets),
          log: (level, message) => insertLog(tx, { run_id: id, time: finishedAt, level, message }),
        });
        if (kind.trace !== undefined) await recordTrace(tx, row, kind.trace(run), finishedAt);
        await insertLog(tx, {
          run_id: id,
          time: finishedAt,
          level: 'INFO',
          message: runSentences.COMPLETED.reason({}),
        });
      });
      isCompleted = true;
      changed(id);
    },

    async waitsFor(reason) {
      if (await write((tx) => setWaiting(tx, { id, epoch }, reason))) changed(id);
    },

    async log(level, message) {
      const time = isoNow(clock);
      await write(async (tx) => {
        const row = await lockRun(tx, id);
        if (row?.status === 'RUNNING' && row.epoch === epoch) {
          await insertLog(tx, { run_id: id, time, level, message });
        }
      });
      changed(id);
      logged();
    },
  };
}
