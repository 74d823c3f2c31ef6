import { matchesGlob } from '../../../kernel/path-globs.ts';
import type { Db, Tx } from '../../../storage/database/database.ts';
import type { DatasetsTable } from '../../../storage/database/tables/datasets.ts';
import type { FileCommits } from '../files/file-commits.ts';
import { listCurrentFilesAt, lockDataset } from '../queries/commits.ts';
import { walkPurged } from '../purges/purged-files.ts';
import { findDataset, findDatasetNames } from '../queries/datasets.ts';
import { countPurges } from '../queries/purges.ts';
import {
  countSourceFiles,
  findCurrentBlobs,
  listSourceFiles,
  type SourceFileRow,
  type SourceSelection,
} from '../queries/source-files.ts';
import type { NewDataset } from '../schemas/datasets.ts';
import type { Datasets } from './datasets.ts';

/** A dataset as other areas see it. */
export type DatasetHead = Pick<NewDataset, 'name' | 'type'> & { id: string; status: string; version: number };

/** A file of a version, as its readers see it. */
export type SourceFile = { fileId: string; path: string; sizeBytes: number; blobId: string | null; status: string };

/** What other areas may do with datasets and their files; no other area queries their tables. */
export type DatasetAccess = {
  /** A dataset that isn't deleted. */
  find(db: Db, id: string): Promise<DatasetHead | undefined>;
  /** Like `find`, and locks the dataset against deletes until this transaction ends. */
  lock(tx: Tx, id: string): Promise<DatasetHead | undefined>;
  /** Current names of datasets, without deleted ones. */
  findNames(db: Db, ids: readonly string[]): Promise<Map<string, string>>;
  /** Files of a version in path order, in slices of at most `filesAtOnce`; without those whose path matches a pattern of `exclude`. */
  walkFiles(
    db: Db,
    selection: SourceSelection & { exclude?: readonly string[] },
    filesAtOnce?: number,
  ): AsyncGenerator<readonly SourceFile[]>;
  /** Number of purges of the dataset so far; under its lock, exactly those before a run begins. */
  countPurges(db: Db, datasetId: string): Promise<number>;
  /** Paths of files of a version that purges after the first `known` have erased: the version itself no longer shows them. */
  walkPurged(db: Db, selection: SourceSelection, known: number): AsyncGenerator<readonly string[]>;
  /** Number and size of the files of a version by type. */
  countFiles(db: Db, selection: SourceSelection): Promise<{ fileType: string; files: number; sizeBytes: number }[]>;
  /** Returns the files whose path is free in the current version and whose content is at no other path either. */
  filterGone<File extends { path: string; blobId: string | null }>(
    db: Db,
    datasetId: string,
    files: readonly File[],
  ): Promise<File[]>;
  insert: Datasets['insert'];
  commit: Pick<FileCommits, 'addAll' | 'closeVersion'>;
};

export function createDatasetAccess({
  datasets,
  commits,
}: {
  datasets: Pick<Datasets, 'insert'>;
  commits: FileCommits;
}): DatasetAccess {
  return {
    async find(db, id) {
      const row = await findDataset(db, id);
      return row === undefined ? undefined : toDatasetHead(row);
    },
    async lock(tx, id) {
      if ((await lockDataset(tx, id)) === undefined) return undefined;
      const row = await findDataset(tx, id);
      return row === undefined ? undefined : toDatasetHead(row);
    },
    async findNames(db, ids) {
      if (ids.length === 0) return new Map();
      return new Map((await findDatasetNames(db, ids)).map(({ id, name }) => [id, name]));
    },
    async *walkFiles(db, { exclude = [], ...selection }, filesAtOnce = 1000) {
      for (let after = ''; ;) {
        const rows = await listSourceFiles(db, selection, after, filesAtOnce);
        const last = rows.at(-1);
        if (last === undefined) return;
        after = last.path;
        yield rows.filter(({ path }) => !exclude.some((pattern) => matchesGlob(path, pattern))).map(toSourceFile);
      }
    },
    countPurges,
    walkPurged,
    async countFiles(db, selection) {
      const rows = await countSourceFiles(db, selection);
      return rows.map(({ file_type: fileType, files, size_bytes: sizeBytes }) => ({ fileType, files, sizeBytes }));
    },
    async filterGone(db, datasetId, files) {
      const current = await listCurrentFilesAt(
        db,
        datasetId,
        files.map(({ path }) => path),
      );
      const taken = new Set(current.map(({ path }) => path));
      const missing = files.filter(({ path }) => !taken.has(path));
      if (missing.length === 0) return [];
      const moved = await findCurrentBlobs(
        db,
        datasetId,
        missing.flatMap(({ blobId }) => blobId ?? []),
      );
      return missing.filter(({ blobId }) => blobId === null || !moved.has(blobId));
    },
    insert: datasets.insert,
    commit: commits,
  };
}

function toDatasetHead({ id, name, type, status, version }: DatasetsTable): DatasetHead {
  return { id, name, type: type as DatasetHead['type'], status, version };
}

function toSourceFile({
  file_id: fileId,
  path,
  size_bytes: sizeBytes,
  blob_id: blobId,
  status,
}: SourceFileRow): SourceFile {
  return { fileId, path, sizeBytes, blobId, status };
}
