import type { AreaRoutes } from '../../http/routes.ts';
import type { Tasks } from '../../tasks/index.ts';
import { addTaskRoutes } from '../../tasks/routes.ts';
import {
  CountingTaskChangesBody,
  CountingTaskSchema,
  NewCountingTaskBody,
  type CountingFields,
  type NewCountingTask,
} from './schemas/tasks.ts';

/** Tasks that count. */
export function taskRoutes({ tasks }: { tasks: Tasks<NewCountingTask, CountingFields, CountingFields> }): AreaRoutes {
  return (app) => {
    addTaskRoutes(app, {
      tasks,
      tag: 'Data counting',
      noun: 'counting',
      schemas: { task: CountingTaskSchema, newTask: NewCountingTaskBody, changes: CountingTaskChangesBody },
    });
  };
}
