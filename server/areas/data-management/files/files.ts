import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import {
  fileNameOf,
  joinPath,
  parentOf,
  parseFileName,
  parseFilePath,
  parsePrefix,
} from '../../../kernel/file-path.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { DatasetsTable } from '../../../storage/database/tables/datasets.ts';
import { dataErrors } from '../errors.ts';
import type { FileCommits, FileRow } from './file-commits.ts';
import { listFilePage, listFolderPage } from './file-lists.ts';
import { toFile } from './file-record.ts';
import { findDataset } from '../queries/datasets.ts';
import { findFile, listFilesAfter } from '../queries/files.ts';
import { findVersion } from '../queries/versions.ts';
import type {
  BatchDelete,
  BatchDeleteResult,
  Directory,
  File,
  FileChanges,
  FilePage,
  FilesQuery,
  NewDirectory,
} from '../schemas/files.ts';
import { parseName } from '../../../kernel/text-fields.ts';

/** The files to iterate over. */
export type FileWalk = { datasetId: string; version: number; prefix?: string };

export type Files = {
  /** Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND. */
  list(datasetId: string, query: FilesQuery): Promise<FilePage>;
  /** The current state, or that at a version; also throws FILE_NOT_FOUND. */
  get(datasetId: string, fileId: string, version?: number): Promise<File>;
  /** Renames or moves a file. */
  update(datasetId: string, fileId: string, changes: FileChanges, by: string): Promise<File>;
  remove(datasetId: string, fileId: string, purge: boolean, by: string): Promise<void>;
  removeMany(datasetId: string, batch: BatchDelete, by: string): Promise<BatchDeleteResult>;
  createDirectory(datasetId: string, directory: NewDirectory, by: string): Promise<Directory>;
  removeDirectory(datasetId: string, path: string, purge: boolean, by: string): Promise<void>;
  /** All files of a version in path order, slice by slice; `prefix` is a parsed folder. */
  walk(walk: FileWalk): AsyncIterable<readonly FileRow[]>;
};

const walkSlice = 1_000;

export function createFiles({ db, commits }: { db: Database; commits: FileCommits }): Files {
  async function getDataset(id: string): Promise<DatasetsTable> {
    const dataset = await findDataset(db.read, id);
    if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id });
    return dataset;
  }

  /** The version to read: null for the current one, even if requested by number. */
  async function versionOf(dataset: DatasetsTable, version: number | undefined): Promise<number | null> {
    if (version === undefined || version === dataset.version) return null;
    if ((await findVersion(db.read, dataset.id, version)) === undefined)
      throw dataErrors.VERSION_NOT_FOUND({ version });
    return version;
  }

  async function get(datasetId: string, fileId: string, version?: number): Promise<File> {
    const row = await findFile(db.read, datasetId, fileId, await versionOf(await getDataset(datasetId), version));
    if (row === undefined) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
    return toFile(row, row.sha256);
  }

  return {
    async list(datasetId, query) {
      const dataset = await getDataset(datasetId);
      const version = await versionOf(dataset, query.version);
      const list = query.directories ? listFolderPage : listFilePage;
      return list(db, { id: datasetId, fileCount: dataset.file_count, version }, query);
    },

    get,

    async update(datasetId, fileId, changes, by) {
      if (changes.filePath === undefined && changes.fileName === undefined) return get(datasetId, fileId);
      const move = (path: string) => db.write((tx) => commits.move(tx, { datasetId, by, fileId, path }));
      if (changes.filePath !== undefined) {
        const path = parseFilePath('filePath', changes.filePath);
        if (changes.fileName !== undefined && changes.fileName !== fileNameOf(path))
          throw invalid('fileName', parameterProblems.MUST_BE_LAST_SEGMENT.reason({}));
        await move(path);
      } else {
        const name = parseFileName('fileName', parseName('fileName', changes.fileName ?? '', 255));
        const { filePath } = await get(datasetId, fileId);
        await move(joinPath('fileName', parentOf(filePath), name));
      }
      return get(datasetId, fileId);
    },

    async remove(datasetId, fileId, purge, by) {
      await db.write(async (tx) => {
        const { missing } = await commits.end(tx, { datasetId, by, fileIds: [fileId], purge });
        if (missing.length > 0) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
      });
    },

    async removeMany(datasetId, { fileIds, purge = false }, by) {
      const { version, missing } = await db.write((tx) => commits.end(tx, { datasetId, by, fileIds, purge }));
      return { version, deleted: new Set(fileIds).size - missing.length, notFound: missing };
    },

    async createDirectory(datasetId, { parentPrefix = '', directoryName }, by) {
      const parent = parsePrefix('parentPrefix', parentPrefix);
      const name = parseFileName('directoryName', parseName('directoryName', directoryName, 255));
      const path = joinPath('directoryName', parent, name);
      const { createdAt } = await db.write((tx) => commits.createDirectory(tx, { datasetId, by, path }));
      return { path, name, createdAt };
    },

    async removeDirectory(datasetId, path, purge, by) {
      const folder = parsePrefix('path', path);
      if (folder === '') throw invalid('path', parameterProblems.MUST_NAME_FOLDER.reason({}));
      await db.write((tx) => commits.endDirectory(tx, { datasetId, by, path: folder, purge }));
    },

    async *walk({ datasetId, version, prefix }) {
      let after = '';
      for (;;) {
        const rows = await listFilesAfter(db.scan, { datasetId, version, below: prefix }, after, walkSlice);
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows;
        after = last.path;
      }
    },
  };
}
