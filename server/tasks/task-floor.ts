import type { Clock } from '../kernel/clock.ts';
import { createRunEvents, type Runs } from '../runs/index.ts';
import type { Database } from '../storage/database/database.ts';
import { countLinks } from './queries/links.ts';
import { createSchedules } from './schedules.ts';
import type { NewTaskFields } from './schemas.ts';
import type { TaskArea, TaskLink } from './task-area.ts';
import { createTasks, type Tasks } from './tasks.ts';

/** The shared part of the tasks of all areas. */
export type TaskFloor = {
  /** Registers the tasks of an area; call before `start`. */
  define<Given extends NewTaskFields, Definition, Own>(
    area: TaskArea<Given, Definition, Own>,
  ): Tasks<Given, Definition, Own>;
  /** Number of tasks that refer to each of these; unused ones are left out. */
  countUses(role: TaskLink['role'], refs: readonly string[]): Promise<Map<string, number>>;
  /** Starts the schedules. */
  start(): void;
  stop(): Promise<void>;
};

export function createTaskFloor(options: {
  db: Database;
  clock: Clock;
  logger: { error(details: object, message: string): void; warn(details: object, message: string): void };
  runs: Runs;
}): TaskFloor {
  const { db, clock, logger, runs } = options;
  const events = createRunEvents({ db, runs });
  const firing = new Map<string, (taskId: string) => Promise<void>>();
  const schedules = createSchedules({
    db,
    clock,
    logger,
    fire: async (area, taskId) => firing.get(area)?.(taskId),
  });

  return {
    define(area) {
      const tasks = createTasks({ db, clock, logger, runs, events }, area);
      firing.set(area.area, tasks.fire);
      return tasks;
    },
    async countUses(role, refs) {
      if (refs.length === 0) return new Map();
      return new Map((await countLinks(db.scan, role, refs)).map(({ ref, count }) => [ref, count]));
    },
    start: schedules.start,
    stop: schedules.stop,
  };
}
