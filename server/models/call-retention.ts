import type { Clock } from '../kernel/clock.ts';
import type { Database } from '../storage/database/database.ts';
import type { ModelsLogger } from './models-logger.ts';
import { deleteUnusedCalls, markCallsUsed } from './queries/calls.ts';

/** Erases calls whose replies nobody has asked for in a while. */
export type CallRetention = {
  /** A reply was asked for again that was used last on the day `usedOn`. */
  used(key: string, usedOn: string): void;
  start(): void;
  stop(): Promise<void>;
  /** Erases what is due now; gives how many calls that were. */
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
  /** Calls that were asked for longer ago are erased; 0 keeps all. */
  days: number;
}): CallRetention {
  const { db, clock, logger, days } = options;
  const isoDay = (ageDays = 0): string => new Date(clock.now().getTime() - ageDays * dayMs).toISOString().slice(0, 10);
  const state = { isStopping: false };
  let marks = new Set<string>();
  let markTimer: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<unknown> | undefined;

  /** The days of use, at most once a day for each call. One that is lost with the process costs that day, no reply. */
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

  async function sweep(): Promise<number> {
    if (days === 0) return 0;
    await mark();
    let calls = 0;
    while (!state.isStopping) {
      const erased = await db.write((tx) => deleteUnusedCalls(tx, { before: isoDay(days), limit: erasedAtOnce }));
      calls += erased;
      if (erased < erasedAtOnce) break;
    }
    if (calls > 0)
      logger.info({ calls, days }, `replies of models were erased: nobody asked for them for more than ${days} days`);
    return calls;
  }

  function wake(): void {
    sweeping ??= sweep()
      .catch((error: unknown) =>
        logger.error({ err: error }, 'old replies of models could not be erased; it is tried again in an hour'),
      )
      .finally(() => {
        sweeping = undefined;
      });
  }

  return {
    used(key, usedOn) {
      if (days === 0 || usedOn >= isoDay()) return;
      marks.add(key);
      if (marks.size >= markedAtOnce) markSoon();
      else markTimer ??= setTimeout(markSoon, markMs).unref();
    },
    start() {
      timer = setInterval(wake, intervalMs).unref();
      wake();
    },
    async stop() {
      state.isStopping = true;
      clearInterval(timer);
      await sweeping;
      await mark();
    },
    sweep,
  };
}
