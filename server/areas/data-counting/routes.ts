// Made from the files of this folder by `npm run docs`; do not edit.
import type { AreaRoutes } from '../../http/routes.ts';
import { taskRoutes } from './task-routes.ts';

export type DataCountingNouns = Parameters<typeof taskRoutes>[0];

/** Routes under `/data-counting`. */
export function dataCountingRoutes(nouns: DataCountingNouns): AreaRoutes {
  return async (app) => {
    await taskRoutes(nouns)(app);
  };
}
