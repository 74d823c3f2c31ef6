import { runSentences, type Reason } from '../kernel/sentences/index.ts';
import { systemTimers, type Timers } from '../kernel/timers.ts';
import type { RunsTable } from '../storage/database/tables/runs.ts';
import { storedReason } from '../kernel/sentences/index.ts';
import { toRun } from './run.ts';

/** A run whose log gets no line for this long gets one about its progress: less than the 10 s that are promised. */
export const quietMs = 8_000;

/** Watches the log of a run; `logged` is called for each line. */
export type QuietWatch = { logged(): void; stop(): void };

/** Calls `tell` when the log of a run has been quiet for a while, and again after each such while. */
export function watchQuiet(tell: () => Promise<void>, timers: Timers = systemTimers): QuietWatch {
  let isStopped = false;
  let cancel = (): void => undefined;

  function begin(): void {
    cancel();
    if (!isStopped)
      cancel = timers.after(
        quietMs,
        () =>
          void tell()
            .catch(() => undefined)
            .finally(begin),
      );
  }

  begin();
  return {
    logged: begin,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

/** What a run does, for its log. */
export function atWork(row: RunsTable): Reason {
  const what = storedReason('waiting_for', row);
  if (what !== null) return runSentences.WAITING.reason({ what });
  const { phase, phaseSamples: samples, progress } = toRun(row);
  return runSentences.AT_WORK.reason({ phase: phase ?? 'PLAN', samples, progress });
}
