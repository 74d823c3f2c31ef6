import type { Engine } from '../../engine/index.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { LifetimePart } from '../../kernel/lifetime.ts';
import type { Models } from '../../models/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Runs } from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { RunNames } from '../../tasks/index.ts';
import type { DatasetContents } from './dataset-contents.ts';
import { createDownloads } from './downloads/downloads.ts';
import { createFilePreviews } from './files/file-previews.ts';
import { createCards } from './cards/cards.ts';
import { createLineages, type LineageSource } from './lineage/lineage.ts';
import { hubRoutes } from './hub/hub-routes.ts';
import { createHub } from './hub/hub.ts';
import { createReadAllowance } from './hub/read-allowance.ts';
import { createPurges, type ContentHolder } from './purges/purges.ts';
import { dataManagementRoutes } from './routes.ts';
import { createTags } from './datasets/tags.ts';
import type { UploadSettings } from './upload-settings.ts';
import { createUploading, type UploadCluster } from './uploads/uploading.ts';
import { createDatasetQueries } from './sql/dataset-queries.ts';
import { createTableNames } from './sql/table-names.ts';
import { createFileRowViews } from './views/file-rows.ts';
import { createTableQueries } from '../../tables/queries/index.ts';
import { createRowDiffs } from './versions/row-diffs.ts';
import { createVersionDiffs } from './versions/version-diffs.ts';
import { createVersionPruning } from './versions/version-pruning.ts';
import type { VersionUses } from './versions/version-uses.ts';
import { createVersions } from './versions/versions.ts';

export { createDatasetContents, type DatasetContents } from './dataset-contents.ts';
export type { DatasetAccess, DatasetHead, SourceFile } from './datasets/dataset-access.ts';
export type { Datasets } from './datasets/datasets.ts';
export { readArchiveFiles, type ArchiveFiles } from './archives/archive-files.ts';
export { ArchiveError } from './archives/archive-limits.ts';
export { dataErrors } from './errors.ts';
export type {
  AddOutcome,
  CommitOptions,
  CommitResult,
  ConflictPolicy,
  FileCommits,
  FileOrigin,
  FileRow,
  FileStatus,
  NewFile,
} from './files/file-commits.ts';
export type { IndexedVersion } from './lineage/lineage-graph.ts';
export type { ContentHolder } from './purges/purges.ts';
export type { LineageSource } from './lineage/lineage.ts';
export type { Files, FileWalk } from './files/files.ts';
export type { Dataset, NewDataset } from './schemas/datasets.ts';
export type { DatasetTypeCode } from './schemas/dataset-types.ts';
export type { File } from './schemas/files.ts';
export type { UploadSettings } from './upload-settings.ts';
export type { Finding, Verified } from './verification/findings.ts';
export { createVerification, type Verification, type VerificationOptions } from './verification/verification.ts';

export type DataManagement = LifetimePart & {
  prefix: string;
  envelope: boolean;
  routes: AreaRoutes;
  /** The read endpoints of the Hugging Face Hub, outside the prefix of the API. */
  hubRoutes: AreaRoutes;
  contentHolders: readonly ContentHolder[];
  lineageSources: readonly LineageSource[];
  runNames: RunNames;
};

export type DataManagementServices = {
  db: Database;
  blobs: BlobStore;
  clock: Clock;
  contents: DatasetContents;
  /** Reads files for people the way runs read them. */
  engine: Pick<Engine, 'previewFile'>;
  /** What runs read and write. */
  runs: VersionUses & Pick<Runs, 'listReading' | 'findRuns'>;
  models: Pick<Models, 'registry'>;
  /** The folder of queries for data that exceeds memory, and their limits; each limit has a default. */
  tableQueries: Parameters<typeof createTableQueries>[0];
  logger: { error(details: object, message: string): void };
  /** Whether calls of Hub clients for files are exempt from the rate limits (see ReadAllowance). */
  hubFileAllowance: boolean;
  /** Limits of uploads; each has a default. */
  uploads: Partial<UploadSettings>;
  /** The other nodes over the same database. */
  cluster: UploadCluster;
  /** Other areas that keep data derived from files, which a purge erases too. */
  contentHolders: readonly ContentHolder[];
  /** Other areas that record lineage of datasets. */
  lineageSources: readonly LineageSource[];
};

/** Creates the area of datasets on top of their contents. */
export function createDataManagement({
  db,
  blobs,
  clock,
  contents,
  engine,
  runs,
  models,
  tableQueries,
  logger,
  hubFileAllowance,
  uploads: settings,
  cluster,
  contentHolders: holders,
  lineageSources: sources,
}: DataManagementServices): DataManagement {
  const { commits, datasets, files, holding, tables, views, viewStore, contentStatistics } = contents;
  const queries = createTableQueries(tableQueries);
  const uploading = createUploading({
    db,
    blobs,
    commits,
    clock,
    settings,
    cluster,
    onError: (error, task) => logger.error({ err: error }, `${task} failed`),
  });
  const downloads = createDownloads({ db, blobs, commits });
  const fileRows = createFileRowViews({ tables, store: viewStore, views });
  const routes = dataManagementRoutes({
    ...uploading,
    datasets,
    files,
    filePreviews: createFilePreviews({ db, engine }),
    fileRows,
    contentStatistics,
    cards: createCards({ db, blobs, tables, fileRows }),
    datasetQueries: createDatasetQueries({
      db,
      clock,
      blobs,
      commits,
      queries,
      names: createTableNames({ db, tables }),
      tables,
      store: viewStore,
    }),
    lineages: createLineages({ db, sources, findModelNames: models.registry.findNames }),
    downloads,
    purges: createPurges({ db, clock, blobs, commits, files, views: viewStore, contentStatistics, runs, holders }),
    versions: createVersions({ db, commits, uses: runs }),
    versionDiffs: createVersionDiffs({ db }),
    rowDiffs: createRowDiffs({ db, tables, store: viewStore, views }),
    versionPruning: createVersionPruning({ db, blobs: holding, uses: runs }),
    tags: createTags({ db, clock }),
  });
  const allowance = hubFileAllowance ? createReadAllowance({ monotonicMs: () => performance.now() }) : undefined;
  return {
    prefix: '/data-management',
    envelope: false,
    routes,
    hubRoutes: hubRoutes({ hub: createHub({ db, datasets, downloads, commits, allowance }) }),
    contentHolders: [],
    lineageSources: [],
    runNames: {},
    start: () => uploading.start(),
    async stop() {
      await uploading.stop();
      queries.close();
    },
  };
}
