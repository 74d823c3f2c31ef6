import type { AreaRoutes } from '../../http/routes.ts';
import { addTaskRoutes } from '../../tasks/routes.ts';
import { ExecuteAnewBody } from '../../tasks/schemas.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { CollectionDefinition } from './definition.ts';
import {
  collectionBodyLimit,
  CollectionTaskChangesBody,
  CollectionTaskSchema,
  NewCollectionTaskBody,
  type CollectionFields,
  type NewCollectionTask,
} from './schemas/tasks.ts';

/** Tasks that collect data. */
export function taskRoutes({
  tasks,
}: {
  tasks: Tasks<NewCollectionTask, CollectionDefinition, CollectionFields>;
}): AreaRoutes {
  return (app) => {
    addTaskRoutes(app, {
      tasks,
      tag: 'Data collection',
      noun: 'collection',
      schemas: { task: CollectionTaskSchema, newTask: NewCollectionTaskBody, changes: CollectionTaskChangesBody },
      execution: ExecuteAnewBody,
      bodyLimit: collectionBodyLimit,
    });
  };
}
