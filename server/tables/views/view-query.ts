import {
  DuckDBListType,
  DuckDBStructType,
  DuckDBTypeId,
  type DuckDBConnection,
  type DuckDBType,
} from '@duckdb/node-api';
import { literal } from '../parquet/text-patterns.ts';
import { openAt } from './row-walk.ts';
import { candidatesOf } from './search-index.ts';
import { conditionOf, findColumn, partsOf } from './view-conditions.ts';
import type {
  IndexedTable,
  ListRequest,
  RowChoice,
  RowsRequest,
  ViewColumn,
  ViewFacts,
  ViewPage,
  ViewRow,
  ViewSource,
} from './view-protocol.ts';
import { withSource } from './view-reading.ts';
import { askedColumns, relationOf, rowNumber } from './view-relation.ts';
import { cutValues, maxPageCharacters, shownRow, sizeOf } from './view-values.ts';

/** Up to this share of the blocks, columns are searched one by one: a condition over several makes DuckDB read all rows. */
const fewBlocks = 1 / 8;
/** Each column costs a query over the numbers of the rows. */
const maxColumnsApart = 16;

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

/** Pages of chosen rows. */
export async function readRowsOf(connection: DuckDBConnection, request: RowsRequest): Promise<ViewPage> {
  const { table, offset, limit, sort, listed } = request;
  const { facts } = table;
  const page = { columns: facts.columns, unreadable: facts.unreadable, omittedColumns: facts.omittedColumns };
  if (listed !== null && sort === null) {
    const numbers = limit === 0 ? [] : await readList(connection, listed.path, request);
    return { ...page, total: listed.total, rows: await readRowsAt(connection, request, numbers) };
  }
  const { condition, found } = await chosenBy(connection, request);
  if (found !== undefined && sort === null) {
    const { numbers, total } = await readFound(connection, found, request);
    return { ...page, total, rows: await readRowsAt(connection, request, numbers) };
  }
  if (condition === 'true') {
    const total = facts.rows;
    if (offset >= total || limit === 0) return { ...page, total, rows: [] };
    if (sort !== null) return { ...page, total, rows: (await readChosen(connection, request, sorted(request))).rows };
    // The numbers of the rows say which groups of the file to read.
    const range = `where ${rowNumber} >= ${offset} and ${rowNumber} < ${offset + limit} order by ${rowNumber}`;
    return { ...page, total, rows: (await readChosen(connection, request, range)).rows };
  }
  // Rows come in the order of the file, and reading ends behind the last one that is asked for.
  const chosen = sort === null ? `where ${condition} limit ${limit} offset ${offset}` : sorted(request, condition);
  const { rows, count } = await readChosen(connection, request, chosen);
  const isEnd = count < limit && (count > 0 || offset === 0);
  const total = listed?.total ?? (isEnd ? offset + count : await countWithin(connection, condition, request));
  return { ...page, total, rows };
}

function sorted({ table, sort, offset, limit }: RowsRequest, condition = 'true'): string {
  const order =
    sort === null
      ? ''
      : `${findColumn(sort.name, askedColumns(table)).sql} ${sort.isDescending ? 'desc' : 'asc'} nulls last, `;
  return `where ${condition} order by ${order}${rowNumber} limit ${limit} offset ${offset}`;
}

/** A condition, and a query of the numbers of the rows that satisfy it, where that is quicker than the condition. */
type ChosenRows = { condition: string; found?: string };

/** The condition of the chosen rows; with an index for searches, only blocks of rows are read that may have some. */
async function chosenBy(
  connection: DuckDBConnection,
  request: { table: IndexedTable } & RowChoice,
): Promise<ChosenRows> {
  const { table, search } = request;
  const columns = askedColumns(table);
  const problemColumn = table.facts.layout === null ? undefined : '"problem"';
  const condition = conditionOf(request, columns, problemColumn);
  if (search === '' || table.searchPath === null) return { condition };
  const candidates = await candidatesOf(connection, table.searchPath, search);
  if (candidates === undefined) return { condition };
  const { filters, finds = [] } = partsOf(request, columns, problemColumn);
  const isApart = finds.length > 1 && finds.length <= maxColumnsApart;
  if (!isApart || candidates.share === 0 || candidates.share > fewBlocks)
    return { condition: `${candidates.condition} and ${condition}` };
  const rows = `select ${rowNumber} from ${relationOf(table.indexPath)} where`;
  const found = finds.map((one) => `${rows} ${[candidates.condition, ...filters, one].join(' and ')}`).join(' union ');
  return { condition: `${rowNumber} in (${found})`, found };
}

/** The numbers of a page of found rows, and how many there are in all. */
async function readFound(
  connection: DuckDBConnection,
  found: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ numbers: number[]; total: number }> {
  const page = `select ${rowNumber} from found order by 1 limit ${limit} offset ${offset}`;
  const read = await connection.runAndReadAll(
    `with found as materialized (${found}) select (select count(*) from found), array(${page})`,
  );
  const [row] = read.getRowsJson();
  return { total: Number(row?.[0] ?? 0), numbers: ((row?.[1] ?? []) as unknown[]).map(Number) };
}

/** Null if counting takes longer than it may. */
async function countWithin(
  connection: DuckDBConnection,
  condition: string,
  { table, countMs }: RowsRequest,
): Promise<number | null> {
  if (countMs === 0) return null;
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    connection.interrupt();
  }, countMs);
  try {
    return await countRows(connection, `${relationOf(table.indexPath)} where ${condition}`);
  } catch (error) {
    if (isLate) return null;
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** Writes the numbers of all chosen rows, in the order of the file; returns how many there are. */
export async function listRows(connection: DuckDBConnection, request: ListRequest): Promise<number> {
  const relation = relationOf(request.table.indexPath);
  const path = literal(request.listPath);
  const { condition, found } = await chosenBy(connection, request);
  const chosen =
    found === undefined
      ? `select ${rowNumber} as row from ${relation} where ${condition}`
      : `select ${rowNumber} as row from (${found}) order by 1`;
  await connection.run(`copy (${chosen}) to ${path} (format parquet, compression zstd)`);
  return countRows(connection, `read_parquet(${path})`);
}

async function readList(
  connection: DuckDBConnection,
  path: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<number[]> {
  const found = await connection.runAndReadAll(
    `select row from ${relationOf(path)} where ${rowNumber} >= ${offset} and ${rowNumber} < ${offset + limit} order by ${rowNumber}`,
  );
  return found.getRows().map(([row]) => Number(row));
}

/** Rows by their numbers, in their order; fewer where they are long. */
export async function readRowsAt(
  connection: DuckDBConnection,
  shown: ShownTable,
  rows: readonly number[],
): Promise<ViewRow[]> {
  if (rows.length === 0) return [];
  const chosen = `where ${rowNumber} in (${rows.join(', ')}) order by ${rowNumber}`;
  return (await readChosen(connection, shown, chosen)).rows;
}

type ShownTable = Pick<RowsRequest, 'table' | 'maxCellCharacters'>;

/** Rows that are shown, fewer where they are long, and how many there were. */
type Chosen = { rows: ViewRow[]; count: number };

/** The rows that the end of a query chooses. */
async function readChosen(connection: DuckDBConnection, shown: ShownTable, chosen: string): Promise<Chosen> {
  const relation = relationOf(shown.table.indexPath);
  if (shown.table.facts.layout === null)
    return readFromParquet(connection, shown, `select * from ${relation} ${chosen}`);
  const places = `select ${rowNumber}, "start", "length", "line", "problem" from ${relation} ${chosen}`;
  return readFromFile(connection, shown, places);
}

/** Rows of a text table, from its own bytes. */
async function readFromFile(connection: DuckDBConnection, shownTable: ShownTable, sql: string): Promise<Chosen> {
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
    return { rows: shown, count: places.length };
  });
}

async function readFromParquet(
  connection: DuckDBConnection,
  { maxCellCharacters }: ShownTable,
  sql: string,
): Promise<Chosen> {
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
  return { rows: shown, count: result.currentRowCount };
}

async function countRows(connection: DuckDBConnection, rows: string): Promise<number> {
  return Number((await connection.runAndReadAll(`select count(*) from ${rows}`)).getRows()[0]?.[0] ?? 0);
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
