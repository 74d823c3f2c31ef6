import type { Engine } from '../../engine/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import { createDatasetSweep } from './datasets/dataset-sweep.ts';
import { createDatasetAccess, type DatasetAccess } from './datasets/dataset-access.ts';
import { createDatasets, type BusyCheck, type Datasets } from './datasets/datasets.ts';
import { createDownloads } from './downloads/downloads.ts';
import { createFileCommits, type FileCommits } from './files/file-commits.ts';
import { createFilePreviews } from './files/file-previews.ts';
import { createFiles, type Files } from './files/files.ts';
import { dataManagementRoutes } from './routes.ts';
import { createTags } from './datasets/tags.ts';
import type { UploadSettings } from './uploads/upload-settings.ts';
import { createUploading } from './uploads/uploading.ts';
import { createFileRowViews } from './views/file-rows.ts';
import { createViewStore } from './views/view-store.ts';
import { createTableViews } from '../../tables/views/index.ts';
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
export type { Files, FileWalk } from './files/files.ts';
export type { Dataset, NewDataset } from './schemas/datasets.ts';
export type { DatasetTypeCode } from './schemas/dataset-types.ts';
export type { File } from './schemas/files.ts';
export type { UploadSettings } from './uploads/upload-settings.ts';
export {
  createVerification,
  type Finding,
  type Verification,
  type VerificationOptions,
  type Verified,
} from './verification/verification.ts';

export type DataManagement = {
  routes: ReturnType<typeof dataManagementRoutes>;
  commits: FileCommits;
  datasets: Datasets;
  files: Files;
  /** What other areas may do with datasets and their files. */
  access: DatasetAccess;
  /** Adds a check: a dataset that it reports as busy can't be deleted. */
  addBusyCheck(check: BusyCheck): void;
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
  engine: Pick<Engine, 'previewFile'>;
  /** What runs read and write. */
  runs: VersionUses;
  /** The indexes of tables: their folder, and how much space they may take. */
  viewIndexes: { directory: string; maxBytes: number };
  logger: { error(details: object, message: string): void };
  /** Limits of uploads; each has a default. */
  uploads?: Partial<UploadSettings>;
};

/** Assembles this area. */
export function createDataManagement({
  db,
  blobs,
  clock,
  engine,
  runs,
  viewIndexes,
  logger,
  uploads: settings = {},
}: DataManagementServices): DataManagement {
  const busyChecks: BusyCheck[] = [];
  const views = createTableViews({ directory: viewIndexes.directory });
  const viewStore = createViewStore({
    ...viewIndexes,
    blobs,
    views,
    onError: (error) => logger.error({ err: error }, 'deleting indexes of tables failed; it is tried again'),
  });
  /** What is derived from erased content goes soon after it. */
  const holding: Pick<BlobStore, 'retain' | 'release'> = {
    retain: blobs.retain,
    async release(tx, ids) {
      await blobs.release(tx, ids);
      viewStore.sweepSoon();
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
    onError: (error, task) => logger.error({ err: error }, `${task} failed`),
  });
  const routes = dataManagementRoutes({
    ...uploading,
    datasets,
    files,
    filePreviews: createFilePreviews({ db, engine }),
    fileRows: createFileRowViews({ db, store: viewStore, views }),
    downloads: createDownloads({ db, blobs, commits }),
    versions: createVersions({ db, commits, uses: runs }),
    versionDiffs: createVersionDiffs({ db }),
    versionPruning: createVersionPruning({ db, blobs: holding, uses: runs }),
    tags: createTags({ db, clock }),
  });
  return {
    routes,
    commits,
    datasets,
    files,
    access: createDatasetAccess({ datasets, commits }),
    addBusyCheck: (check) => void busyChecks.push(check),
    start() {
      sweep.start();
      uploading.start();
      viewStore.start();
    },
    async stop() {
      await sweep.stop();
      await uploading.stop();
      await viewStore.close();
    },
  };
}
