import type { TaskArea } from '../../../server/tasks/index.ts';
import type { NewSleepTask, SleepFields } from './schemas/tasks.ts';

/** Tasks with a number of sleeps and their length. */
export const sleepTasks: TaskArea<NewSleepTask, SleepFields, SleepFields> = {
  area: 'sleep',
  read: (stored) => stored as SleepFields,
  define: async (_tx, { steps, stepMs }) => ({ steps, stepMs }),
  change: ({ name, definition }, changes) => ({ name, ...definition, ...changes }),
  show: async (definitions) => [...definitions],
  plan: async (_tx, { definition }) => ({ details: definition, datasets: [] }),
};
