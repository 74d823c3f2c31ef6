import {
  DuckDBListType,
  DuckDBStructType,
  DuckDBTypeId,
  type DuckDBConnection,
  type DuckDBType,
} from '@duckdb/node-api';
import { identifier, literal } from '../parquet/text-patterns.ts';
import { plainTextOf } from './mixed-columns.ts';
import { openAt } from './row-walk.ts';
import { conditionOf, findColumn, type AskedColumn } from './view-conditions.ts';
import type {
  IndexedTable,
  RowsRequest,
  ViewColumn,
  ViewFacts,
  ViewPage,
  ViewRow,
  ViewSource,
} from './view-protocol.ts';
import { withSource } from './view-reading.ts';
import { cutValues, maxPageCharacters, shownRow, sizeOf } from './view-values.ts';

/** Column with the row number in the file, from 0. */
const rowNumber = 'file_row_number';

/** The table as SQL reads it: an index, or the Parquet file itself. */
export function relationOf(path: string): string {
  return `read_parquet(${literal(path)}, hive_partitioning = false, ${rowNumber} = true)`;
}

/** The columns with their expressions: by place in an index, by name in a Parquet file. */
export function askedColumns({ facts: { columns, layout } }: IndexedTable): AskedColumn[] {
  return columns.map(({ name, type, isMixed }, place) => {
    const stored = identifier(layout === null ? name : `c${place}`);
    return isMixed === true ? { name, type, sql: plainTextOf(stored), json: stored } : { name, type, sql: stored };
  });
}

/** What the footer of a Parquet file says; it needs no index. */
export async function readFooter(connection: DuckDBConnection, { path }: ViewSource): Promise<ViewFacts> {
  const result = await connection.runAndReadAll(
    `select * from read_parquet(${literal(path)}, hive_partitioning = false) limit 0`,
  );
  const types = result.columnTypes();
  const columns = result.columnNames().map((name, index): ViewColumn => ({ name, type: String(types[index]) }));
  const counted = await connection.runAndReadAll(`select num_rows from parquet_file_metadata(${literal(path)})`);
  return { columns, rows: Number(counted.getRows()[0]?.[0] ?? 0), unreadable: 0, omittedColumns: 0, layout: null };
}

/** A page of chosen rows. */
export async function readRowsOf(connection: DuckDBConnection, request: RowsRequest): Promise<ViewPage> {
  const { table, offset, limit, sort } = request;
  const { facts } = table;
  const columns = askedColumns(table);
  const isText = facts.layout !== null;
  const relation = relationOf(table.indexPath);
  const condition = conditionOf(request, columns, isText ? '"problem"' : undefined);
  const isAll = condition === 'true';
  const total = isAll ? facts.rows : await count(connection, `select count(*) from ${relation} where ${condition}`);
  const page = { columns: facts.columns, total, unreadable: facts.unreadable, omittedColumns: facts.omittedColumns };
  if (offset >= total || limit === 0) return { ...page, rows: [] };
  const order =
    sort === null
      ? rowNumber
      : `${findColumn(sort.name, columns).sql} ${sort.isDescending ? 'desc' : 'asc'} nulls last, ${rowNumber}`;
  // Without conditions, the numbers of the rows say which groups of the file to read.
  const chosen =
    isAll && sort === null
      ? `where ${rowNumber} >= ${offset} and ${rowNumber} < ${offset + limit} order by ${rowNumber}`
      : `where ${condition} order by ${order} limit ${limit} offset ${offset}`;
  const rows = await readChosen(connection, request, chosen);
  return { ...page, rows };
}

/** Rows by their numbers, in their order; fewer where they are long. */
export async function readRowsAt(
  connection: DuckDBConnection,
  shown: ShownTable,
  rows: readonly number[],
): Promise<ViewRow[]> {
  if (rows.length === 0) return [];
  return readChosen(connection, shown, `where ${rowNumber} in (${rows.join(', ')}) order by ${rowNumber}`);
}

type ShownTable = Pick<RowsRequest, 'table' | 'maxCellCharacters'>;

/** The rows that the end of a query chooses. */
async function readChosen(connection: DuckDBConnection, shown: ShownTable, chosen: string): Promise<ViewRow[]> {
  const relation = relationOf(shown.table.indexPath);
  if (shown.table.facts.layout === null)
    return readFromParquet(connection, shown, `select * from ${relation} ${chosen}`);
  const places = `select ${rowNumber}, "start", "length", "line", "problem" from ${relation} ${chosen}`;
  return readFromFile(connection, shown, places);
}

/** Rows of a text table, from its own bytes. */
async function readFromFile(connection: DuckDBConnection, shownTable: ShownTable, sql: string): Promise<ViewRow[]> {
  const { source, facts } = shownTable.table;
  const { layout } = facts;
  if (layout === null) throw new Error('A text table has a layout');
  const places = (await connection.runAndReadAll(sql)).getRows();
  return withSource(source, (read) => {
    const shown: ViewRow[] = [];
    let characters = 0;
    for (const [row, start, length, line, problem] of places) {
      if (characters > maxPageCharacters) break;
      const found = openAt(read, { start: Number(start), lengthBytes: Number(length) }, layout);
      const opened = problem === null ? found : { problem: String(problem), text: found.text };
      const one = shownRow({ row: Number(row), line: Number(line) }, opened, {
        isJson: layout.delimited === undefined,
        maxCellCharacters: shownTable.maxCellCharacters,
      });
      characters += sizeOf(one);
      shown.push(one);
    }
    return shown;
  });
}

async function readFromParquet(
  connection: DuckDBConnection,
  { maxCellCharacters }: ShownTable,
  sql: string,
): Promise<ViewRow[]> {
  const result = await connection.runAndReadAll(sql);
  const types = new Map(result.columnNames().map((name, index) => [name, result.columnTypes()[index]]));
  const shown: ViewRow[] = [];
  let characters = 0;
  for (const { [rowNumber]: row, ...values } of result.getRowObjectsJson()) {
    if (characters > maxPageCharacters) break;
    const plain = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, withNumbers(value, types.get(name))]),
    );
    const { values: cells, cut } = cutValues(plain, maxCellCharacters);
    const one = { row: Number(row), line: null, values: cells, cut, problem: null, text: null };
    characters += sizeOf(one);
    shown.push(one);
  }
  return shown;
}

async function count(connection: DuckDBConnection, sql: string): Promise<number> {
  return Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0] ?? 0);
}

const wholeTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
]);

/** Whole numbers of 64 bits and more, which the library gives as texts, as numbers where these hold all digits. */
export function withNumbers(value: unknown, type: DuckDBType | undefined): unknown {
  if (value === null || value === undefined) return null;
  if (type instanceof DuckDBListType && Array.isArray(value))
    return value.map((item: unknown) => withNumbers(item, type.valueType));
  if (type instanceof DuckDBStructType && typeof value === 'object') {
    const members = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      type.entryNames.map((name, index) => [name, withNumbers(members[name], type.entryTypes[index])]),
    );
  }
  return type !== undefined && wholeTypes.has(type.typeId) && Number.isSafeInteger(Number(value))
    ? Number(value)
    : value;
}
