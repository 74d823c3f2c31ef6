import { setTimeout as pause } from 'node:timers/promises';
import { invalid, unavailable } from '../../../kernel/errors.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import type { Database } from '../../../storage/database/database.ts';
import { conditionOperators, type Condition } from '../../../tables/conditions.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import {
  ViewTimeout,
  ViewUnreadable,
  type RowChoice,
  type TableViews,
  type ViewFacts,
} from '../../../tables/views/index.ts';
import { dataErrors } from '../errors.ts';
import { findDataset } from '../queries/datasets.ts';
import { findDownload } from '../queries/downloads.ts';
import { findVersion } from '../queries/versions.ts';
import type { FileColumns, FileColumnsQuery, FileRows, FileRowsQuery } from '../schemas/file-rows.ts';
import type { TableBlob, ViewStore } from './view-store.ts';

/** Rows and columns of the tables of a dataset. */
export type FileRowViews = {
  /**
   * A page of rows: read from the file's beginning as long as the table has no index, which is built meanwhile. Throws DATASET_NOT_FOUND,
   * VERSION_NOT_FOUND, FILE_NOT_FOUND, FILE_NOT_COMPLETED, NOT_A_TABLE, INVALID_PARAMETER, and UNAVAILABLE for what needs the index
   * before it is ready.
   */
  rows(datasetId: string, fileId: string, query: FileRowsQuery): Promise<FileRows>;
  /** Figures of each column; throws like `rows`. */
  columns(datasetId: string, fileId: string, query: FileColumnsQuery): Promise<FileColumns>;
};

/** How long a call waits for an index. */
const patienceMs = 10_000;
/** Rows further behind are not read without an index, if it is ready soon. */
const nearRows = 10_000;

type Table = { blob: TableBlob | undefined; path: string };

export function createFileRowViews({
  db,
  store,
  views,
}: {
  db: Database;
  store: ViewStore;
  views: Pick<TableViews, 'readDirectly' | 'readRows' | 'describeColumns'>;
}): FileRowViews {
  async function findTable(datasetId: string, fileId: string, asked: number | undefined): Promise<Table> {
    const dataset = await findDataset(db.read, datasetId);
    if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
    const version = asked ?? dataset.version;
    if ((await findVersion(db.read, datasetId, version)) === undefined) throw dataErrors.VERSION_NOT_FOUND({ version });
    const row = await findDownload(db.read, { datasetId, fileId, version });
    if (row === undefined) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
    const { path, status, blob_id: id, size_bytes: sizeBytes } = row;
    if (status !== 'COMPLETED') throw dataErrors.FILE_NOT_COMPLETED({ path, status });
    const format = formatOf(fileTypeOf(path));
    if (!isRowFormat(format) && format !== 'parquet')
      throw dataErrors.NOT_A_TABLE({ path, problem: 'tables are JSON Lines, JSON, CSV, TSV and Parquet' });
    return { path, blob: id === null || sizeBytes === 0 ? undefined : { id, sizeBytes, format } };
  }

  /** What TableViews throws, as an error of the call. */
  async function reading<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ViewUnreadable) throw dataErrors.NOT_A_TABLE({ path, problem: error.message });
      if (error instanceof ViewTimeout) throw unavailable(`File ${path}: ${error.message}`, 30, error);
      throw error;
    }
  }

  /** The facts of a table as soon as its index is ready; undefined if that takes too long. */
  async function awaitIndex(blob: TableBlob): Promise<ViewFacts | undefined> {
    const patience = new AbortController();
    try {
      return await Promise.race([store.ensure(blob), pause(patienceMs, undefined, { signal: patience.signal })]);
    } finally {
      patience.abort();
    }
  }

  async function needIndex(blob: TableBlob, path: string): Promise<ViewFacts> {
    const facts = (await store.find(blob)) ?? (await awaitIndex(blob));
    if (facts === undefined) throw unavailable(`The index of ${path} is being built`, 5);
    return facts;
  }

  return {
    async rows(datasetId, fileId, { version, offset, limit, maxCellCharacters, ...query }) {
      const choice = parseChoice(query);
      const { blob, path } = await findTable(datasetId, fileId, version);
      const range = { offset, limit, maxCellCharacters };
      if (blob === undefined)
        return { offset, columns: [], content: [], total: 0, unreadable: 0, omittedColumns: 0, index: 'READY' };
      return reading(path, async () => {
        const isChosen = choice.where.length > 0 || choice.search !== '' || choice.sort !== null || choice.isUnreadable;
        const isNeeded = isChosen || blob.format === 'parquet';
        let facts = isNeeded ? await needIndex(blob, path) : await store.find(blob);
        if (facts === undefined && offset > nearRows) facts = await awaitIndex(blob);
        if (facts === undefined) {
          // Its failure is told by the page that reads the same bytes, or by the next one that needs the index.
          store.ensure(blob).catch(() => {});
          const { rows, ...page } = await store.withSource(blob, (source) => views.readDirectly({ source, ...range }));
          return { offset, ...page, content: rows, index: 'BUILDING' as const };
        }
        const found = facts;
        const { rows, ...page } = await store.withSource(blob, (source) =>
          views.readRows({ table: store.tableOf(blob, found, source), ...range, ...choice }),
        );
        return { offset, ...page, content: rows, index: 'READY' as const };
      });
    },

    async columns(datasetId, fileId, { version }) {
      const { blob, path } = await findTable(datasetId, fileId, version);
      if (blob === undefined) return { columns: [], rows: 0, unreadable: 0, omittedColumns: 0 };
      return reading(path, async () => {
        const facts = await needIndex(blob, path);
        const { rows, unreadable, omittedColumns } = facts;
        const columns = await store.withSource(blob, (source) =>
          views.describeColumns({ table: store.tableOf(blob, facts, source) }),
        );
        return { columns, rows, unreadable, omittedColumns };
      });
    },
  };
}

type Choice = Pick<FileRowsQuery, 'where' | 'search' | 'sort' | 'unreadable'>;

function parseChoice({ where, search = '', sort, unreadable: isUnreadable }: Choice): RowChoice {
  if (search.includes('\0')) throw invalid('search', 'must not contain NUL');
  return { where: where === undefined ? [] : parseWhere(where), search, sort: parseRowSort(sort), isUnreadable };
}

/** `NAME,asc|desc`; the name of a column may have commas. */
function parseRowSort(sort: string | undefined): RowChoice['sort'] {
  if (sort === undefined) return null;
  const found = /^(?<name>.+?)(?:,(?<direction>asc|desc))?$/s.exec(sort)?.groups;
  if (found?.['name'] === undefined) throw invalid('sort', 'must be COLUMN,asc or COLUMN,desc');
  return { name: found['name'], isDescending: found['direction'] === 'desc' };
}

const maxConditions = 50;

function parseWhere(text: string): Condition[] {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw invalid('where', 'must be JSON: [{"field": "lang", "op": "EQ", "value": "en"}]');
  }
  if (!Array.isArray(given) || given.length > maxConditions)
    throw invalid('where', `must be a list of at most ${maxConditions} conditions`);
  return given.map((one: unknown, index) => {
    const { field, op, value } = (typeof one === 'object' && one !== null ? one : {}) as Partial<Condition>;
    if (typeof field !== 'string' || field === '') throw invalid(`where[${index}].field`, 'must name a column');
    if (op === undefined || !conditionOperators.includes(op))
      throw invalid(`where[${index}].op`, `must be one of ${conditionOperators.join(', ')}`);
    if (!isPlain(value))
      throw invalid(`where[${index}].value`, 'must be a text, a number, true, false, null or a list of them');
    return { field, op, value };
  });
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= 1_000 && value.every((one) => !Array.isArray(one) && isPlain(one));
  if (typeof value === 'string') return !value.includes('\0');
  return value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean';
}
