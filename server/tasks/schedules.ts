import { createBackgroundTask, type BackgroundTask } from '../kernel/background-task.ts';
import { isoNow, type Clock } from '../kernel/clock.ts';
import type { Database } from '../storage/database/database.ts';
import { listDueTasks } from './queries/tasks.ts';

/** Executes tasks when they are due. */
export type Schedules = Pick<BackgroundTask, 'start' | 'stop'>;

/** Schedules have a resolution of minutes, but users who watch one expect it to fire within seconds. */
const intervalMs = 5_000;

const firedAtOnce = 100;

export function createSchedules(options: {
  db: Database;
  clock: Clock;
  logger: { error(details: object, message: string): void };
  /** Executes a due task, unless another process already has. */
  fire: (area: string, taskId: string) => Promise<void>;
}): Schedules {
  const { db, clock, logger, fire } = options;
  return createBackgroundTask({
    everyMs: intervalMs,
    async work() {
      for (const { area, id } of await listDueTasks(db.read, isoNow(clock), firedAtOnce)) await fire(area, id);
    },
    onError: (error) => logger.error({ err: error }, 'schedules could not be looked at; trying again until it works'),
  });
}
