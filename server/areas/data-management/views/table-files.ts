import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../../../kernel/errors.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import type { Database } from '../../../storage/database/database.ts';
import { compressionOf, contentPathOf, type Compression } from '../../../tables/compression/compressed-names.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import { ViewTimeout, ViewUnreadable, type ViewFacts } from '../../../tables/views/index.ts';
import { dataErrors } from '../errors.ts';
import { findDataset } from '../queries/datasets.ts';
import { findDownload } from '../queries/downloads.ts';
import type { SourceFileRow } from '../queries/source-files.ts';
import { findVersion } from '../queries/versions.ts';
import type { TableBlob } from './table-sources.ts';
import type { ViewStore } from './view-store.ts';

/** A file that is a table; one without bytes has no content to read. */
export type TableFile = { path: string; blob: TableBlob | undefined };

/** Files as tables, and their indexes. */
export type TableFiles = {
  /** The version that is read: the current one by default. Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND. */
  versionOf(datasetId: string, asked: number | undefined): Promise<number>;
  /** A file of a version. Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND, FILE_NOT_FOUND, FILE_NOT_COMPLETED, NOT_A_TABLE. */
  find(datasetId: string, fileId: string, asked: number | undefined): Promise<TableFile>;
  /** A file that is known. Throws FILE_NOT_COMPLETED, NOT_A_TABLE. */
  of(file: Pick<SourceFileRow, 'path' | 'status' | 'blob_id' | 'size_bytes'>): TableFile;
  /** What an index knows as soon as it is ready; undefined if that takes too long. */
  awaitIndex(blob: TableBlob): Promise<ViewFacts | undefined>;
  /** The same; throws UNAVAILABLE if it takes too long. */
  needIndex(blob: TableBlob, path: string): Promise<ViewFacts>;
  /** What is made in the background; throws UNAVAILABLE, with what is being done, if that takes too long. */
  patiently<T>(work: Promise<T>, doing: string): Promise<T>;
  /** Calls `work`, and throws what TableViews throws as an error of the call. */
  reading<T>(path: string, work: () => Promise<T>): Promise<T>;
};

/** Those that are unpacked as they are read. */
function isReadable(compression: Compression | undefined): compression is 'gzip' | 'zstd' | undefined {
  return compression === undefined || compression === 'gzip' || compression === 'zstd';
}

/** How long a call waits for an index. */
const patienceMs = 10_000;

export function createTableFiles({
  db,
  store,
}: {
  db: Database;
  store: Pick<ViewStore, 'find' | 'ensure'>;
}): TableFiles {
  async function versionOf(datasetId: string, asked: number | undefined): Promise<number> {
    const dataset = await findDataset(db.read, datasetId);
    if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
    const version = asked ?? dataset.version;
    if ((await findVersion(db.read, datasetId, version)) === undefined) throw dataErrors.VERSION_NOT_FOUND({ version });
    return version;
  }

  const tableOf: TableFiles['of'] = ({ path, status, blob_id: id, size_bytes: sizeBytes }) => {
    if (status !== 'COMPLETED') throw dataErrors.FILE_NOT_COMPLETED({ path, status });
    const compression = compressionOf(path);
    const format = formatOf(fileTypeOf(contentPathOf(path)));
    const isTable = isRowFormat(format) || (format === 'parquet' && compression === undefined);
    if (!isTable || !isReadable(compression))
      throw dataErrors.NOT_A_TABLE({
        path,
        problem: 'tables are JSON Lines, JSON, CSV and TSV, also as .gz and .zst, and Parquet',
      });
    if (id === null || sizeBytes === 0) return { path, blob: undefined };
    return { path, blob: { id, sizeBytes, format, ...(compression === undefined ? {} : { compression }) } };
  };

  /** Undefined if it takes too long; its failure is then told by the next call. */
  async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
    const patience = new AbortController();
    work.catch(() => {});
    try {
      return await Promise.race([work, pause(patienceMs, undefined, { signal: patience.signal })]);
    } finally {
      patience.abort();
    }
  }

  const awaitIndex = (blob: TableBlob): Promise<ViewFacts | undefined> => inTime(store.ensure(blob));

  return {
    versionOf,

    async find(datasetId, fileId, asked) {
      const version = await versionOf(datasetId, asked);
      const row = await findDownload(db.read, { datasetId, fileId, version });
      if (row === undefined) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
      return tableOf(row);
    },

    of: tableOf,

    awaitIndex,

    async needIndex(blob, path) {
      const facts = (await store.find(blob)) ?? (await awaitIndex(blob));
      if (facts === undefined) throw unavailable(`The index of ${path} is being built`, 5);
      return facts;
    },

    async patiently(work, doing) {
      const found = await inTime(work);
      if (found === undefined) throw unavailable(doing, 5);
      return found;
    },

    async reading(path, work) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof ViewUnreadable) throw dataErrors.NOT_A_TABLE({ path, problem: error.message });
        if (error instanceof ViewTimeout) throw unavailable(`File ${path}: ${error.message}`, 30, error);
        throw error;
      }
    },
  };
}
