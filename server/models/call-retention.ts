import { createBackgroundTask } from '../kernel/background-task.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Database } from '../storage/database/database.ts';
import type { ModelsLogger } from './models-logger.ts';
import { deleteUnusedCalls, markCallsUsed } from './queries/calls.ts';

/** Erases calls whose replies were not used for a while. */
export type CallRetention = {
  /** Records that a stored reply was used again; `usedOn` is the day of its previous use. */
  used(key: string, usedOn: string): void;
  start(): void;
  stop(): Promise<void>;
  /** Erases the calls that are due; returns their number. */
  sweep(): Promise<number>;
};

const dayMs = 86_400_000;
const intervalMs = 3_600_000;
const markMs = 5_000;
const markedAtOnce = 1_000;
const erasedAtOnce = 1_000;

export function createCallRetention(options: {
  db: Database;
  clock: Clock;
  logger: ModelsLogger;
  /** Erases calls last used more than this many days ago; 0 keeps all. */
  days: number;
}): CallRetention {
  const { db, clock, logger, days } = options;
  const isoDay = (ageDays = 0): string => new Date(clock.now().getTime() - ageDays * dayMs).toISOString().slice(0, 10);
  let marks = new Set<string>();
  let markTimer: NodeJS.Timeout | undefined;

  /**
   * Stores the days of use, at most once a day per call. If the process crashes, a day of use may be lost, but never a
   * reply.
   */
  async function mark(): Promise<void> {
    clearTimeout(markTimer);
    markTimer = undefined;
    const keys = [...marks];
    marks = new Set();
    if (keys.length > 0) await db.write((tx) => markCallsUsed(tx, keys, isoDay()), { sync: 'later' });
  }

  function markSoon(): void {
    mark().catch((error: unknown) =>
      logger.error({ err: error }, 'that replies of models were used could not be written down'),
    );
  }

  async function sweep(signal?: AbortSignal): Promise<number> {
    if (days === 0) return 0;
    await mark();
    let calls = 0;
    for (;;) {
      const erased = await db.write((tx) => deleteUnusedCalls(tx, { before: isoDay(days), limit: erasedAtOnce }));
      calls += erased;
      if (erased < erasedAtOnce || signal?.aborted === true) break;
    }
    if (calls > 0)
      logger.info({ calls, days }, `replies of models were erased: nobody asked for them for more than ${days} days`);
    return calls;
  }

  const task = createBackgroundTask({
    everyMs: intervalMs,
    work: sweep,
    onError: (error) =>
      logger.error({ err: error }, 'old replies of models could not be erased; trying again until it works'),
  });

  return {
    used(key, usedOn) {
      if (days === 0 || usedOn >= isoDay()) return;
      marks.add(key);
      if (marks.size >= markedAtOnce) markSoon();
      else markTimer ??= setTimeout(markSoon, markMs).unref();
    },
    start: task.start,
    async stop() {
      await task.stop();
      await mark();
    },
    sweep: () => sweep(),
  };
}
