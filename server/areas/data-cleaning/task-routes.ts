import type { AreaRoutes } from '../../http/routes.ts';
import { addTaskRoutes } from '../../tasks/routes.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { CleaningDefinition } from './definition.ts';
import {
  NewTaskBody,
  stepsBodyLimit,
  TaskChangesBody,
  TaskSchema,
  type CleaningFields,
  type NewTask,
} from './schemas/tasks.ts';

/** Tasks that clean data. */
export function taskRoutes({ tasks }: { tasks: Tasks<NewTask, CleaningDefinition, CleaningFields> }): AreaRoutes {
  return (app) => {
    addTaskRoutes(app, {
      tasks,
      tag: 'Data cleaning',
      noun: 'cleaning',
      schemas: { task: TaskSchema, newTask: NewTaskBody, changes: TaskChangesBody },
      bodyLimit: stepsBodyLimit,
    });
  };
}
