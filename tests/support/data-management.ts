import { createDatasets, type Datasets } from '../../server/areas/data-management/datasets/datasets.ts';
import {
  createFileCommits,
  type ConflictPolicy,
  type FileCommits,
  type FileRow,
  type NewFile,
} from '../../server/areas/data-management/files/file-commits.ts';
import type { BucketLimits } from '../../server/areas/data-management/files/file-buckets.ts';
import { createFiles, type Files } from '../../server/areas/data-management/files/files.ts';
import type { FilesQuery } from '../../server/areas/data-management/schemas/files.ts';
import { createTags, type Tags } from '../../server/areas/data-management/datasets/tags.ts';
import { createVersionDiffs, type VersionDiffs } from '../../server/areas/data-management/versions/version-diffs.ts';
import {
  createVersionPruning,
  type VersionPruning,
} from '../../server/areas/data-management/versions/version-pruning.ts';
import { createVersions, type Versions } from '../../server/areas/data-management/versions/versions.ts';
import { systemClock } from '../../server/kernel/clock.ts';
import type { BlobStore } from '../../server/storage/blobs/blob-store.ts';
import type { Database } from '../../server/storage/database/database.ts';

/**
 * The services of data management over a real database; of the blob store it has only the released and retained ids.
 */
export type DataSetting = {
  db: Database;
  commits: FileCommits;
  datasets: Datasets;
  files: Files;
  tags: Tags;
  versions: Versions;
  versionDiffs: VersionDiffs;
  versionPruning: VersionPruning;
  /** Datasets that something reads or writes. */
  busy: Set<string>;
  /** How runs use every dataset. */
  runUses: { writer: string | undefined; versionsRead: number[] };
  released: string[];
  retained: string[];
  /** Creates a dataset of type TEXT; returns its id. */
  newDataset(name?: string): Promise<string>;
  /** Commits files as user ann; returns for each its row, or the code of the conflict. */
  add(
    datasetId: string,
    files: readonly (string | NewFile)[],
    onConflict?: ConflictPolicy,
  ): Promise<(FileRow | string)[]>;
  /** Paths in a list of files, on one large page unless the query sets another. */
  paths(datasetId: string, query?: Partial<FilesQuery>): Promise<string[]>;
};

export function createDataSetting(db: Database, options: { buckets?: BucketLimits } = {}): DataSetting {
  const released: string[] = [];
  const retained: string[] = [];
  const busy = new Set<string>();
  const runUses: DataSetting['runUses'] = { writer: undefined, versionsRead: [] };
  const uses = { findWriter: async () => runUses.writer, listVersionsRead: async () => runUses.versionsRead };
  const blobs: Pick<BlobStore, 'release' | 'retain'> = {
    release: async (_tx, ids) => void released.push(...ids),
    retain: async (_tx, ids) => void retained.push(...ids),
  };
  const commits = createFileCommits({ clock: systemClock, blobs, ...options });
  const datasets = createDatasets({
    db,
    clock: systemClock,
    isBusy: async (_tx, id) => busy.has(id),
    onRemoved: () => {},
  });
  const files = createFiles({ db, commits });
  return {
    db,
    commits,
    datasets,
    files,
    tags: createTags({ db, clock: systemClock }),
    versions: createVersions({ db, commits, uses }),
    versionDiffs: createVersionDiffs({ db }),
    versionPruning: createVersionPruning({ db, blobs, uses }),
    busy,
    runUses,
    released,
    retained,
    newDataset: async (name = 'd') => (await datasets.create({ name, type: 'TEXT' }, 'ann')).id,
    async add(datasetId, given, onConflict = 'REPLACE') {
      const list = given.map((file) => (typeof file === 'string' ? newFile(file) : file));
      const { outcomes } = await db.write((tx) => commits.add(tx, { datasetId, by: 'ann', onConflict, files: list }));
      return outcomes.map((outcome) => (outcome.kind === 'added' ? outcome.file : outcome.error.code));
    },
    async paths(datasetId, query = {}) {
      const page = await files.list(datasetId, { page: 0, size: 1000, directories: false, ...query });
      return page.content.map((file) => file.filePath);
    },
  };
}

/** A completed file without content; its size is the length of its path. */
export function newFile(path: string, values: Partial<NewFile> = {}): NewFile {
  return { path, originalName: path, sizeBytes: path.length, status: 'COMPLETED', blobId: null, ...values };
}
