// Made from the files of this folder by `npm run docs`; do not edit.
import type { AreaRoutes } from '../../http/routes.ts';
import { recordRoutes } from './record-routes.ts';
import { reportRoutes } from './report-routes.ts';
import { taskRoutes } from './task-routes.ts';
import { templateRoutes } from './template-routes.ts';

export type DataSynthesisNouns = Parameters<typeof recordRoutes>[0] &
  Parameters<typeof reportRoutes>[0] &
  Parameters<typeof taskRoutes>[0] &
  Parameters<typeof templateRoutes>[0];

/** Routes under `/data-synthesis`. */
export function dataSynthesisRoutes(nouns: DataSynthesisNouns): AreaRoutes {
  return async (app) => {
    await templateRoutes(nouns)(app);
    await taskRoutes(nouns)(app);
    await recordRoutes(nouns)(app);
    await reportRoutes(nouns)(app);
  };
}
