import { isoNow, type Clock } from '../kernel/clock.ts';
import type { Database } from '../storage/database/database.ts';
import { listDueTasks } from './queries.ts';

/** Looks for tasks whose time has come. */
export type Schedules = { start(): void; stop(): Promise<void> };

/** Schedules count in minutes; people who watch one expect it within seconds. */
const intervalMs = 5_000;

const firedAtOnce = 100;

export function createSchedules(options: {
  db: Database;
  clock: Clock;
  logger: { error(details: object, message: string): void };
  /** Executes a task, unless another process has done so. */
  fire: (area: string, taskId: string) => Promise<void>;
}): Schedules {
  const { db, clock, logger, fire } = options;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isFailing = false;

  async function look(): Promise<void> {
    try {
      for (const { area, id } of await listDueTasks(db.read, isoNow(clock), firedAtOnce)) await fire(area, id);
      isFailing = false;
    } catch (error) {
      if (!isFailing) logger.error({ err: error }, 'schedules could not be looked at; trying again until it works');
      isFailing = true;
    }
  }

  function wake(): void {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }

  return {
    start() {
      timer = setInterval(wake, intervalMs).unref();
      wake();
    },
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}
