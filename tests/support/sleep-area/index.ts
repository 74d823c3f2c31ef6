import type { AreaRoutes } from '../../../server/http/routes.ts';
import type { Runs } from '../../../server/runs/index.ts';
import type { TaskFloor, Tasks } from '../../../server/tasks/index.ts';
import { createSleepKind, type Witness } from './kind.ts';
import { sleepRoutes } from './routes.ts';
import type { NewSleepTask, SleepFields } from './schemas/tasks.ts';
import { sleepTasks } from './tasks.ts';

export { createSleepKind, type Witness } from './kind.ts';

/** An area for tests, with only what runs and tasks require of an area. */
export function createSleep(services: { runs: Runs; tasks: TaskFloor; witness?: Witness }): {
  routes: AreaRoutes;
  tasks: Tasks<NewSleepTask, SleepFields, SleepFields>;
} {
  services.runs.register(createSleepKind(services.witness));
  const tasks = services.tasks.define(sleepTasks);
  return { routes: sleepRoutes(tasks), tasks };
}
