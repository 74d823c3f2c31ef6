import { reasonOf } from '../../../kernel/reasoned-error.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../../../kernel/errors.ts';
import { sheetProblems, type Reason, causesOfDelay } from '../../../kernel/sentences/index.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import type { Database } from '../../../storage/database/database.ts';
import { compressionOf, contentPathOf } from '../../../tables/compression/compressed-names.ts';
import { formatOf, isRowFormat, isWorkbookType } from '../../../tables/formats.ts';
import {
  ViewInterrupted,
  ViewTimeout,
  ViewUnreadable,
  type ViewFacts,
  type ListedSheet,
} from '../../../tables/views/index.ts';
import { dataErrors } from '../errors.ts';
import { findDataset } from '../queries/datasets.ts';
import { findDownload } from '../queries/downloads.ts';
import type { SourceFileRow } from '../queries/source-files.ts';
import { findVersion } from '../queries/versions.ts';
import type { WorkbookBlob } from './sheet-store.ts';
import type { TableBlob } from './table-sources.ts';
import type { ViewStore } from './view-store.ts';

/** A file that is a table, or a sheet of a workbook with all its sheets; `blob` is undefined for an empty file. */
export type TableFile = { path: string; blob: TableBlob | undefined; sheets?: ListedSheet[] };

type KnownFile = Pick<SourceFileRow, 'path' | 'status' | 'blob_id' | 'size_bytes'> & { datasetId?: string };

/** Files as tables, and their indexes. */
export type TableFiles = {
  /** The version to read, by default the current one. Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND. */
  versionOf(datasetId: string, asked: number | undefined): Promise<number>;
  /**
   * A file of a version; of a workbook the named sheet, by default the first one that is not hidden. Throws DATASET_NOT_FOUND,
   * VERSION_NOT_FOUND, FILE_NOT_FOUND, FILE_NOT_COMPLETED, NOT_A_TABLE, SHEET_NOT_FOUND.
   */
  find(datasetId: string, fileId: string, asked: number | undefined, sheet?: string): Promise<TableFile>;
  /** Like `find`, from a file's row; throws FILE_NOT_COMPLETED, NOT_A_TABLE, SHEET_NOT_FOUND, UNAVAILABLE (takes too long). */
  of(file: KnownFile, sheet?: string): Promise<TableFile>;
  /** The sheets of a workbook; undefined for other tables, and for a workbook that can't be read, or not soon. */
  sheetsOf(file: KnownFile): Promise<ListedSheet[] | undefined>;
  /** The facts of a table's index once it is ready; undefined if that takes too long. */
  awaitIndex(blob: TableBlob): Promise<ViewFacts | undefined>;
  /** Like `awaitIndex`, but throws UNAVAILABLE if it takes too long. */
  needIndex(blob: TableBlob, path: string): Promise<ViewFacts>;
  /** Waits for background work; throws UNAVAILABLE, with the text `doing`, if it takes too long. */
  orBusy<T>(work: Promise<T>, doing: Reason): Promise<T>;
  /** Calls `work`; converts errors of TableViews to errors of the API. */
  reading<T>(path: string, work: () => Promise<T>): Promise<T>;
};

/** The index of a sheet, by default the first that is not hidden; a name in other case matches if it is unambiguous. */
function findSheet(sheets: readonly ListedSheet[], wanted: string | undefined): number {
  if (wanted === undefined)
    return Math.max(
      0,
      sheets.findIndex(({ isHidden }) => !isHidden),
    );
  const exact = sheets.findIndex(({ name }) => name === wanted);
  return exact === -1 ? sheets.findIndex(({ name }) => name.toLowerCase() === wanted.toLowerCase()) : exact;
}

function ownerOf({ datasetId }: KnownFile): { datasetId?: string } {
  return datasetId === undefined ? {} : { datasetId };
}

/** How long a call waits for an index. */
const maxWaitMs = 10_000;

export function createTableFiles({
  db,
  store,
}: {
  db: Database;
  store: Pick<ViewStore, 'find' | 'ensure' | 'sheets'>;
}): TableFiles {
  async function versionOf(datasetId: string, asked: number | undefined): Promise<number> {
    const dataset = await findDataset(db.read, datasetId);
    if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
    const version = asked ?? dataset.version;
    if ((await findVersion(db.read, datasetId, version)) === undefined) throw dataErrors.VERSION_NOT_FOUND({ version });
    return version;
  }

  const tableOf: TableFiles['of'] = async (file, sheet) => {
    const { path, status, blob_id: id, size_bytes: sizeBytes } = file;
    if (isWorkbookType(fileTypeOf(path))) return sheetOf(file, sheet);
    if (status !== 'COMPLETED') throw dataErrors.FILE_NOT_COMPLETED({ path, status });
    const compression = compressionOf(path);
    const format = formatOf(fileTypeOf(contentPathOf(path)));
    const isTable = isRowFormat(format) || (format === 'parquet' && compression === undefined);
    if (!isTable)
      throw dataErrors.NOT_A_TABLE({
        path,
        problem:
          fileTypeOf(path) === 'xls' ? sheetProblems.OLD_WORKBOOK.reason({}) : sheetProblems.TABLES_ARE.reason({}),
      });
    if (id === null || sizeBytes === 0) return { path, blob: undefined };
    const table = { id, sizeBytes, format, ...ownerOf(file) };
    return { path, blob: { ...table, ...(compression === undefined ? {} : { compression }) } };
  };

  function workbookOf(file: KnownFile): WorkbookBlob | undefined {
    const { path, status, blob_id: id, size_bytes: sizeBytes } = file;
    if (status !== 'COMPLETED') throw dataErrors.FILE_NOT_COMPLETED({ path, status });
    return id === null || sizeBytes === 0 ? undefined : { id, sizeBytes, fileType: fileTypeOf(path), ...ownerOf(file) };
  }

  async function sheetOf(file: KnownFile, wanted: string | undefined): Promise<TableFile> {
    const { path } = file;
    const workbook = workbookOf(file);
    if (workbook === undefined) return { path, blob: undefined };
    const { id, sizeBytes, fileType } = workbook;
    const sheets = await reading(path, () =>
      orBusy(store.sheets.list(workbook), causesOfDelay.SHEETS_BEING_LISTED.reason({ path })),
    );
    const number = findSheet(sheets, wanted);
    const found = sheets[number];
    if (found === undefined) throw dataErrors.SHEET_NOT_FOUND({ path, sheet: wanted ?? '' });
    const place = { fileType, name: found.name, number };
    return { path, sheets, blob: { id, sizeBytes, format: 'jsonl', sheet: place, ...ownerOf(file) } };
  }

  /** Undefined if it takes too long; the next call then reports its failure. */
  async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
    const waiting = new AbortController();
    work.catch(() => {});
    try {
      return await Promise.race([work, pause(maxWaitMs, undefined, { signal: waiting.signal })]);
    } finally {
      waiting.abort();
    }
  }

  async function orBusy<T>(work: Promise<T>, doing: Reason): Promise<T> {
    const found = await inTime(work);
    if (found === undefined) throw unavailable(doing, 5);
    return found;
  }

  async function reading<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ViewUnreadable) throw dataErrors.NOT_A_TABLE({ path, problem: reasonOf(error) });
      if (error instanceof ViewTimeout)
        throw unavailable(causesOfDelay.OF_FILE.reason({ path, why: error.reason }), error.retrySeconds, error);
      if (error instanceof ViewInterrupted)
        throw unavailable(causesOfDelay.OF_FILE.reason({ path, why: error.reason }), 5, error);
      throw error;
    }
  }

  const awaitIndex = (blob: TableBlob): Promise<ViewFacts | undefined> => inTime(store.ensure(blob));

  return {
    versionOf,

    async find(datasetId, fileId, asked, sheet) {
      const version = await versionOf(datasetId, asked);
      const row = await findDownload(db.read, { datasetId, fileId, version });
      if (row === undefined) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
      return tableOf({ ...row, datasetId }, sheet);
    },

    of: tableOf,

    async sheetsOf(file) {
      if (!isWorkbookType(fileTypeOf(file.path)) || file.status !== 'COMPLETED') return undefined;
      const workbook = workbookOf(file);
      if (workbook === undefined) return undefined;
      return inTime(store.sheets.list(workbook)).catch((error: unknown) => {
        if (error instanceof ViewUnreadable || error instanceof ViewTimeout) return undefined;
        throw error;
      });
    },

    awaitIndex,

    async needIndex(blob, path) {
      const facts = (await store.find(blob)) ?? (await awaitIndex(blob));
      if (facts === undefined) throw unavailable(causesOfDelay.INDEX_BEING_BUILT.reason({ path }), 5);
      return facts;
    },

    orBusy,

    reading,
  };
}
