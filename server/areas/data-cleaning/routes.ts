// Made from the files of this folder by `npm run docs`; do not edit.
import type { AreaRoutes } from '../../http/routes.ts';
import { inspectionRoutes } from './inspection-routes.ts';
import { ledgerRoutes } from './ledger-routes.ts';
import { previewRoutes } from './preview-routes.ts';
import { profileRoutes } from './profile-routes.ts';
import { taskRoutes } from './task-routes.ts';
import { templateRoutes } from './template-routes.ts';

export type DataCleaningNouns = Parameters<typeof inspectionRoutes>[0] &
  Parameters<typeof ledgerRoutes>[0] &
  Parameters<typeof previewRoutes>[0] &
  Parameters<typeof profileRoutes>[0] &
  Parameters<typeof taskRoutes>[0] &
  Parameters<typeof templateRoutes>[0];

/** Routes under `/data-cleaning`. */
export function dataCleaningRoutes(nouns: DataCleaningNouns): AreaRoutes {
  return async (app) => {
    await templateRoutes(nouns)(app);
    await previewRoutes(nouns)(app);
    await inspectionRoutes(nouns)(app);
    await taskRoutes(nouns)(app);
    await profileRoutes(nouns)(app);
    await ledgerRoutes(nouns)(app);
  };
}
