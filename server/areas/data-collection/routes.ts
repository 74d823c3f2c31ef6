import type { AreaRoutes } from '../../http/routes.ts';
import { addTaskRoutes } from '../../tasks/routes.ts';
import { ExecuteAnewBody } from '../../tasks/schemas.ts';
import type { Tasks } from '../../tasks/index.ts';
import { connectorRoutes } from './connector-routes.ts';
import type { CollectionDefinition } from './definition.ts';
import { itemRoutes } from './item-routes.ts';
import type { Items } from './items.ts';
import {
  collectionBodyLimit,
  CollectionTaskChangesBody,
  CollectionTaskSchema,
  NewCollectionTaskBody,
  type CollectionFields,
  type NewCollectionTask,
} from './schemas/tasks.ts';
import type { Sources } from './sources.ts';

export type DataCollectionNouns = {
  tasks: Tasks<NewCollectionTask, CollectionDefinition, CollectionFields>;
  sources: Sources;
  items: Items;
};

/** Routes under `/data-collection`. */
export function dataCollectionRoutes(nouns: DataCollectionNouns): AreaRoutes {
  return async (app) => {
    await connectorRoutes(nouns)(app);
    addTaskRoutes(app, {
      tasks: nouns.tasks,
      tag: 'Data collection',
      noun: 'collection',
      schemas: { task: CollectionTaskSchema, newTask: NewCollectionTaskBody, changes: CollectionTaskChangesBody },
      execution: ExecuteAnewBody,
      bodyLimit: collectionBodyLimit,
    });
    await itemRoutes(nouns)(app);
  };
}
