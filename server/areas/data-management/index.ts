import { createContentCounter } from '../../contents/index.ts';
import type { Engine } from '../../engine/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Runs } from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { createDatasetSweep } from './datasets/dataset-sweep.ts';
import { createDatasetAccess, type DatasetAccess } from './datasets/dataset-access.ts';
import { createDatasets, type BusyCheck, type Datasets } from './datasets/datasets.ts';
import { createDownloads } from './downloads/downloads.ts';
import { createFileCommits, type FileCommits } from './files/file-commits.ts';
import { createFilePreviews } from './files/file-previews.ts';
import { createFiles, type Files } from './files/files.ts';
import { createCards } from './cards/cards.ts';
import { createLineages, type LineageSources } from './lineage/lineage.ts';
import { hubRoutes } from './hub/hub-routes.ts';
import { createHub } from './hub/hub.ts';
import { createReadAllowance } from './hub/read-allowance.ts';
import { createPurges, type ContentHolder } from './purges/purges.ts';
import { dataManagementRoutes } from './routes.ts';
import { createTags } from './datasets/tags.ts';
import type { UploadSettings } from './upload-settings.ts';
import { createUploading, type UploadCluster } from './uploads/uploading.ts';
import { createDatasetQueries } from './sql/dataset-queries.ts';
import { createContentStatistics } from './statistics/content-statistics.ts';
import { createFileContents } from './statistics/file-contents.ts';
import { createTableNames } from './sql/table-names.ts';
import { createFileRowViews } from './views/file-rows.ts';
import { createTableFiles } from './views/table-files.ts';
import type { ViewRoom } from './views/view-space.ts';
import { createViewStore } from './views/view-store.ts';
import { createTableQueries } from '../../tables/queries/index.ts';
import { createTableViews } from '../../tables/views/index.ts';
import { createRowDiffs } from './versions/row-diffs.ts';
import { createVersionDiffs } from './versions/version-diffs.ts';
import { createVersionPruning } from './versions/version-pruning.ts';
import type { VersionUses } from './versions/version-uses.ts';
import { createVersions } from './versions/versions.ts';

export type { DatasetAccess, DatasetHead, SourceFile } from './datasets/dataset-access.ts';
export type { BusyCheck, Datasets } from './datasets/datasets.ts';
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
export type { LineageSources } from './lineage/lineage.ts';
export type { Files, FileWalk } from './files/files.ts';
export type { Dataset, NewDataset } from './schemas/datasets.ts';
export type { DatasetTypeCode } from './schemas/dataset-types.ts';
export type { File } from './schemas/files.ts';
export type { UploadSettings } from './upload-settings.ts';
export {
  createVerification,
  type Finding,
  type Verification,
  type VerificationOptions,
  type Verified,
} from './verification/verification.ts';

export type DataManagement = {
  routes: ReturnType<typeof dataManagementRoutes>;
  /** The read endpoints of the Hugging Face Hub; they stand outside the prefix of the API. */
  hubRoutes: ReturnType<typeof hubRoutes>;
  commits: FileCommits;
  datasets: Datasets;
  files: Files;
  /** What other areas may do with datasets and their files. */
  access: DatasetAccess;
  /** Adds a check: a dataset that it reports as busy can't be deleted. */
  addBusyCheck(check: BusyCheck): void;
  /** Adds an area that keeps what it made of files: a purge erases that, too. */
  addContentHolder(holder: ContentHolder): void;
  /** Adds what another area knows of the lineage of datasets. */
  addLineageSources(sources: LineageSources): void;
  /** Starts the background work. */
  start(): void;
  /** Stops it; the rest continues at the next start. */
  stop(): Promise<void>;
};

export type DataManagementServices = {
  db: Database;
  blobs: BlobStore;
  clock: Clock;
  /** Reads files for people as it does for runs. */
  engine: Pick<Engine, 'previewFile' | 'inspect'>;
  /** What runs read and write. */
  runs: VersionUses & Pick<Runs, 'listReading' | 'findRuns'>;
  /** The indexes of tables: their folder, and how much space they may take. */
  viewIndexes: { directory: string; maxBytes: number; room?: ViewRoom };
  /** Where queries keep what does not fit into memory, and their limits; each limit has a default. */
  tableQueries: Parameters<typeof createTableQueries>[0];
  logger: { error(details: object, message: string): void };
  /** Whether clients of the Hub may read the files of a version without these calls counting towards the limits. */
  hubFileAllowance?: boolean;
  /** Limits of uploads; each has a default. */
  uploads?: Partial<UploadSettings>;
  /** The other nodes over the same database; by default there are none. */
  cluster?: UploadCluster;
};

/** Assembles this area. */
export function createDataManagement({
  db,
  blobs,
  clock,
  engine,
  runs,
  viewIndexes,
  tableQueries,
  logger,
  hubFileAllowance = true,
  uploads: settings = {},
  cluster,
}: DataManagementServices): DataManagement {
  const busyChecks: BusyCheck[] = [];
  const lineageSources: LineageSources[] = [];
  const holders: ContentHolder[] = [];
  const views = createTableViews({ directory: viewIndexes.directory });
  const viewStore = createViewStore({
    ...viewIndexes,
    blobs,
    views,
    onError: (error) => logger.error({ err: error }, 'deleting indexes of tables failed; it is tried again'),
  });
  const tables = createTableFiles({ db, store: viewStore });
  const counter = createContentCounter({ directory: viewIndexes.directory });
  const contentStatistics = createContentStatistics({
    db,
    contents: createFileContents({ blobs, tables, store: viewStore, engine, counter }),
    onError: (error) => logger.error({ err: error }, 'counting the contents of a dataset failed'),
  });
  const queries = createTableQueries(tableQueries);
  /** What is derived from erased content goes soon after it. */
  const holding: Pick<BlobStore, 'retain' | 'release'> = {
    retain: blobs.retain,
    async release(tx, ids) {
      await blobs.release(tx, ids);
      viewStore.sweepSoon();
      contentStatistics.sweepSoon();
    },
  };
  const sweep = createDatasetSweep({
    db,
    blobs: holding,
    onError: (error) => logger.error({ err: error }, 'erasing a deleted dataset failed; it is tried again'),
  });
  const commits = createFileCommits({ clock, blobs: holding });
  const datasets = createDatasets({ db, clock, busyChecks, onRemoved: () => sweep.wake() });
  const files = createFiles({ db, commits });
  const uploading = createUploading({
    db,
    blobs,
    commits,
    clock,
    settings,
    ...(cluster === undefined ? {} : { cluster }),
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
    lineages: createLineages({ db, sources: lineageSources }),
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
    routes,
    hubRoutes: hubRoutes({ hub: createHub({ db, datasets, downloads, commits, allowance }) }),
    commits,
    datasets,
    files,
    access: createDatasetAccess({ datasets, commits }),
    addBusyCheck: (check) => void busyChecks.push(check),
    addContentHolder: (holder) => void holders.push(holder),
    addLineageSources: (sources) => void lineageSources.push(sources),
    start() {
      sweep.start();
      uploading.start();
      viewStore.start();
      contentStatistics.start();
    },
    async stop() {
      await sweep.stop();
      await uploading.stop();
      queries.close();
      // What is being counted waits for an index.
      await Promise.all([contentStatistics.close(), viewStore.close()]);
      counter.close();
    },
  };
}
