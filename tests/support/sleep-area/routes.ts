import type { AreaRoutes } from '../../../server/http/routes.ts';
import type { Tasks } from '../../../server/tasks/index.ts';
import { addTaskRoutes } from '../../../server/tasks/routes.ts';
import {
  NewSleepTaskBody,
  SleepTaskChangesBody,
  SleepTaskSchema,
  type NewSleepTask,
  type SleepFields,
} from './schemas/tasks.ts';

/** Routes under `/sleep`. */
export function sleepRoutes(tasks: Tasks<NewSleepTask, SleepFields, SleepFields>): AreaRoutes {
  return (app) => {
    addTaskRoutes(app, {
      tasks,
      tag: 'Sleep',
      noun: 'sleep',
      schemas: { task: SleepTaskSchema, newTask: NewSleepTaskBody, changes: SleepTaskChangesBody },
    });
  };
}
