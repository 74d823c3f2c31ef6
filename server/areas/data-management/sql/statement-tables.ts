import type { Database, Db } from '../../../storage/database/database.ts';
import type { QueriedTable, TableQueries } from '../../../tables/queries/index.ts';
import { sqlNames, hasProblemColumn, type ViewColumn } from '../../../tables/views/index.ts';
import { dataErrors } from '../errors.ts';
import { listFileStates } from '../queries/purges.ts';
import type { QueryResult, QueryVersion } from '../schemas/dataset-queries.ts';
import type { TableFile, TableFiles } from '../views/table-files.ts';
import type { ViewStore } from '../views/view-store.ts';
import { asking } from './sql-problem.ts';
import type { TableNames } from './table-names.ts';

/** A call: the dataset and version, the user, and the signal that aborts it. */
export type QueryCall = { datasetId: string; version: QueryVersion['version']; by: string; signal: AbortSignal };

/** The tables that a statement names, open. */
export type OpenedTables = { tables: QueriedTable[]; used: QueryResult['tables']; version: number };

/** Opens the tables of statements. */
export type StatementTables = {
  /** Calls `work` with the tables of a statement; keeps their bytes until it ends. */
  with<T>(call: QueryCall, sql: string, work: (opened: OpenedTables) => Promise<T>): Promise<T>;
  /** Throws FILE_PURGED if the content of a file was erased. */
  requireKept(db: Db, datasetId: string, used: readonly { fileId: string }[]): Promise<void>;
};

type Used = { table: TableFile; fileId: string; references: QueriedTable['references'][number][] };

export function createStatementTables({
  db,
  queries,
  names,
  tables,
  store,
}: {
  db: Pick<Database, 'read'>;
  queries: Pick<TableQueries, 'parse'>;
  names: Pick<TableNames, 'resolve'>;
  tables: Pick<TableFiles, 'versionOf' | 'of' | 'reading' | 'needIndex'>;
  store: Pick<ViewStore, 'hold' | 'withSource' | 'tableOf'>;
}): StatementTables {
  /** Each table once, with the names that the statement uses for it. */
  async function listUsed(datasetId: string, version: number, { by, signal }: QueryCall, sql: string): Promise<Used[]> {
    const references = await queries.parse(sql, { owner: by, signal });
    const named = await names.resolve({ datasetId, version }, references);
    const found = new Map<string, Used>();
    for (const [index, { file, sheet }] of named.entries()) {
      const table = await tables.of({ ...file, datasetId }, sheet);
      const key = JSON.stringify([file.file_id, table.blob?.sheet?.number]);
      const known = found.get(key) ?? { table, fileId: file.file_id, references: [] };
      const reference = references[index];
      const isKnown = known.references.some(
        ({ schema, name }) =>
          schema.toLowerCase() === reference?.schema.toLowerCase() &&
          name.toLowerCase() === reference.name.toLowerCase(),
      );
      if (reference !== undefined && !isKnown) known.references.push(reference);
      found.set(key, known);
    }
    return [...found.values()];
  }

  /** Each table's bytes are held while the others are opened. */
  async function open<T>(
    [next, ...rest]: readonly Used[],
    opened: OpenedTables,
    work: (opened: OpenedTables) => Promise<T>,
  ): Promise<T> {
    if (next === undefined) return work(opened);
    const { path, blob } = next.table;
    if (blob === undefined) throw dataErrors.NOT_A_TABLE({ path, problem: 'it is empty' });
    const read = async (): Promise<T> => {
      const facts = await tables.needIndex(blob, path);
      const { rows, unreadable, omittedColumns, layout, isCopied = false, columns } = facts;
      const sheet = blob.sheet === undefined ? {} : { sheet: blob.sheet.name };
      opened.used.push({
        fileId: next.fileId,
        filePath: path,
        ...sheet,
        rows,
        unreadable,
        omittedColumns,
        ...lostOf(columns),
      });
      return store.withSource(blob, async (source) => {
        const { indexPath: path } = store.tableOf(blob, facts, source);
        const { references } = next;
        const isIndex = layout !== null || isCopied;
        opened.tables.push({ references, path, columns, isIndex, hasProblemColumn: hasProblemColumn(facts) });
        return open(rest, opened, work);
      });
    };
    return tables.reading(path, () => store.hold(blob, read));
  }

  async function requireKept(connection: Db, datasetId: string, used: readonly { fileId: string }[]): Promise<void> {
    const fileIds = used.map(({ fileId }) => fileId);
    const kept = new Set((await listFileStates(connection, datasetId, fileIds)).map((state) => state.file_id));
    const gone = fileIds.find((id) => !kept.has(id));
    if (gone !== undefined) throw dataErrors.FILE_PURGED({ id: gone });
  }

  return {
    with: (call, sql, work) =>
      asking(async () => {
        const { datasetId } = call;
        const version = await tables.versionOf(datasetId, call.version);
        const used = await listUsed(datasetId, version, call, sql);
        try {
          return await open(used, { tables: [], used: [], version }, work);
        } catch (error) {
          // Whatever the error: bytes that were purged must not be reported as damaged.
          await requireKept(db.read, datasetId, used);
          throw error;
        }
      }),
    requireKept,
  };
}

/** Columns under their names in SQL. */
export function asNamed(columns: readonly ViewColumn[]): ViewColumn[] {
  const names = sqlNames(columns);
  return columns.map((column, place) => ({ ...column, name: names[place] ?? column.name }));
}

/** The columns with values that SQL rounds or replaces. */
function lostOf(columns: readonly ViewColumn[]): Pick<QueryResult['tables'][number], 'rounded' | 'replaced'> {
  const named = asNamed(columns);
  const namesOf = (flag: 'hasDigits' | 'hasHalves'): string[] =>
    named.filter((column) => column[flag] === true).map(({ name }) => name);
  return { rounded: namesOf('hasDigits'), replaced: namesOf('hasHalves') };
}
