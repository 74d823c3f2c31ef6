// Made from the files of this folder by `npm run docs`; do not edit.
import type { AreaRoutes } from '../../http/routes.ts';
import { connectorRoutes } from './connector-routes.ts';
import { itemRoutes } from './item-routes.ts';
import { taskRoutes } from './task-routes.ts';

export type DataCollectionNouns = Parameters<typeof connectorRoutes>[0] &
  Parameters<typeof itemRoutes>[0] &
  Parameters<typeof taskRoutes>[0];

/** Routes under `/data-collection`. */
export function dataCollectionRoutes(nouns: DataCollectionNouns): AreaRoutes {
  return async (app) => {
    await connectorRoutes(nouns)(app);
    await taskRoutes(nouns)(app);
    await itemRoutes(nouns)(app);
  };
}
