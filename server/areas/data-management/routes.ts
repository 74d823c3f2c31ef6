import type { AreaRoutes } from '../../http/routes.ts';
import { datasetRoutes } from './dataset-routes.ts';
import type { Datasets } from './datasets/datasets.ts';
import { downloadRoutes } from './download-routes.ts';
import type { Downloads } from './downloads/downloads.ts';
import { fileGroupRoutes } from './file-group-routes.ts';
import { fileRowRoutes } from './file-row-routes.ts';
import { queryRoutes } from './query-routes.ts';
import { fileRoutes } from './file-routes.ts';
import type { FilePreviews } from './files/file-previews.ts';
import type { Files } from './files/files.ts';
import { cardRoutes } from './card-routes.ts';
import type { Cards } from './cards/cards.ts';
import { lineageRoutes } from './lineage-routes.ts';
import type { Lineages } from './lineage/lineage.ts';
import { purgeRoutes } from './purge-routes.ts';
import type { Purges } from './purges/purges.ts';
import { tagRoutes } from './tag-routes.ts';
import type { Tags } from './datasets/tags.ts';
import { uploadEventRoutes } from './upload-event-routes.ts';
import { uploadRoutes, type UploadNouns } from './upload-routes.ts';
import type { FileGroups } from './uploads/file-groups.ts';
import type { UploadEvents } from './uploads/upload-events.ts';
import type { DatasetQueries } from './sql/dataset-queries.ts';
import type { ContentStatisticsOf } from './statistics/content-statistics.ts';
import { statisticsRoutes } from './statistics-routes.ts';
import type { FileRowViews } from './views/file-rows.ts';
import { versionRoutes, type VersionNouns } from './version-routes.ts';

export type DataManagementNouns = {
  datasets: Datasets;
  tags: Tags;
  files: Files;
  filePreviews: FilePreviews;
  fileRows: FileRowViews;
  contentStatistics: ContentStatisticsOf;
  datasetQueries: DatasetQueries;
  downloads: Downloads;
  lineages: Lineages;
  cards: Cards;
  purges: Purges;
  fileGroups: FileGroups;
  uploadEvents: UploadEvents;
} & UploadNouns &
  VersionNouns;

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
