import type { Area } from '../../../server/area.ts';
import type { Runs } from '../../../server/runs/index.ts';
import type { TaskFloor, Tasks } from '../../../server/tasks/index.ts';
import { createSleepKind, type Witness } from './kind.ts';
import { sleepRoutes } from './routes.ts';
import type { NewSleepTask, SleepFields } from './schemas/tasks.ts';
import { sleepTasks } from './tasks.ts';

export { createSleepKind, type Witness } from './kind.ts';

/** An area for tests, with only the parts that runs and tasks require. */
export function createSleep(services: {
  runs: Runs;
  tasks: TaskFloor;
  witness?: Witness;
}): Area & { tasks: Tasks<NewSleepTask, SleepFields, SleepFields> } {
  services.runs.register(createSleepKind(services.witness));
  const tasks = services.tasks.define(sleepTasks);
  return {
    prefix: '/sleep',
    envelope: true,
    routes: sleepRoutes(tasks),
    tasks,
    contentHolders: [],
    lineageSources: [],
    runNames: {},
    start() {},
    stop() {},
  };
}
