// Made from the files of this folder by `npm run docs`; do not edit.
import type { AreaRoutes } from '../../http/routes.ts';
import { cardRoutes } from './card-routes.ts';
import { datasetRoutes } from './dataset-routes.ts';
import { downloadRoutes } from './download-routes.ts';
import { fileGroupRoutes } from './file-group-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { fileRowRoutes } from './file-row-routes.ts';
import { lineageRoutes } from './lineage-routes.ts';
import { purgeRoutes } from './purge-routes.ts';
import { queryRoutes } from './query-routes.ts';
import { statisticsRoutes } from './statistics-routes.ts';
import { tagRoutes } from './tag-routes.ts';
import { uploadEventRoutes } from './upload-event-routes.ts';
import { uploadRoutes } from './upload-routes.ts';
import { versionRoutes } from './version-routes.ts';

export type DataManagementNouns = Parameters<typeof cardRoutes>[0] &
  Parameters<typeof datasetRoutes>[0] &
  Parameters<typeof downloadRoutes>[0] &
  Parameters<typeof fileGroupRoutes>[0] &
  Parameters<typeof fileRoutes>[0] &
  Parameters<typeof fileRowRoutes>[0] &
  Parameters<typeof lineageRoutes>[0] &
  Parameters<typeof purgeRoutes>[0] &
  Parameters<typeof queryRoutes>[0] &
  Parameters<typeof statisticsRoutes>[0] &
  Parameters<typeof tagRoutes>[0] &
  Parameters<typeof uploadEventRoutes>[0] &
  Parameters<typeof uploadRoutes>[0] &
  Parameters<typeof versionRoutes>[0];

/** Routes under `/data-management`. */
export function dataManagementRoutes(nouns: DataManagementNouns): AreaRoutes {
  return async (app) => {
    await datasetRoutes(nouns)(app);
    await versionRoutes(nouns)(app);
    await lineageRoutes(nouns)(app);
    await cardRoutes(nouns)(app);
    await purgeRoutes(nouns)(app);
    await tagRoutes(nouns)(app);
    await fileRoutes(nouns)(app);
    await fileRowRoutes(nouns)(app);
    await statisticsRoutes(nouns)(app);
    await queryRoutes(nouns)(app);
    await downloadRoutes(nouns)(app);
    await uploadRoutes(nouns)(app);
    await fileGroupRoutes(nouns)(app);
    await uploadEventRoutes(nouns)(app);
  };
}
