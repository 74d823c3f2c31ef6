import type { DuckDBConnection } from '@duckdb/node-api';
import { literal } from '../parquet/text-patterns.ts';
import { candidatesOf } from './search-index.ts';
import { conditionOf, findColumn, partsOf } from './view-conditions.ts';
import type { IndexedTable, ListRequest, RowChoice, RowsRequest, ViewPage } from './view-protocol.ts';
import { askedColumns, relationOf, rowNumber, hasProblemColumn } from './view-relation.ts';
import { readChosen, readRowsAt } from './view-rows.ts';

/**
 * Up to this share of the blocks, columns are searched one by one: a condition over several columns makes DuckDB read
 * all rows.
 */
const fewBlocks = 1 / 8;
/** Each column costs a query over the row numbers. */
const maxColumnsApart = 16;

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
    const numbers = Array.from({ length: Math.min(limit, total - offset) }, (_, index) => offset + index);
    return { ...page, total, rows: await readRowsAt(connection, request, numbers) };
  }
  if (sort === null) {
    const { numbers, total } = await scanRows(connection, condition, request);
    return { ...page, total, rows: await readRowsAt(connection, request, numbers) };
  }
  const { rows, count } = await readChosen(connection, request, sorted(request, condition));
  const isEnd = count < limit && (count > 0 || offset === 0);
  const total = listed?.total ?? (isEnd ? offset + count : await countWithin(connection, condition, request));
  return { ...page, total, rows };
}

function sorted({ table, sort, offset, limit }: RowsRequest, condition = 'true'): string {
  const order =
    sort === null
      ? ''
      : `${findColumn(sort.name, askedColumns(table)).value} ${sort.isDescending ? 'desc' : 'asc'} nulls last, `;
  return `where ${condition} order by ${order}${rowNumber} limit ${limit} offset ${offset}`;
}

/** A condition, and a faster query for the numbers of the matching rows, if there is one. */
type ChosenRows = { condition: string; found?: string };

/** The condition of the chosen rows; with a search index, only blocks that may contain a match are read. */
async function chosenBy(
  connection: DuckDBConnection,
  request: { table: IndexedTable } & RowChoice,
): Promise<ChosenRows> {
  const { table, search } = request;
  const columns = askedColumns(table);
  const problemColumn = hasProblemColumn(table.facts) ? '"problem"' : undefined;
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

/** The row numbers of one page of found rows, and the total. */
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

/**
 * The row numbers of one page of matching rows, and the total, in one scan, which continues past the page for as long
 * as counting may take.
 */
async function scanRows(
  connection: DuckDBConnection,
  condition: string,
  { table, offset, limit, countMs }: RowsRequest,
): Promise<{ numbers: number[]; total: number | null }> {
  const end = offset + limit;
  const scan = `select ${rowNumber} from ${relationOf(table.indexPath)} where ${condition}`;
  const found = await connection.stream(countMs === 0 ? `${scan} limit ${end}` : scan);
  const numbers: number[] = [];
  let count = 0;
  let isLate = false;
  let late: NodeJS.Timeout | undefined;
  try {
    for (let chunk = await found.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await found.fetchChunk()) {
      const first = Math.max(0, offset - count);
      if (count < end && first < chunk.rowCount)
        numbers.push(
          ...chunk
            .getColumnValues(0)
            .slice(first, end - count)
            .map(Number),
        );
      count += chunk.rowCount;
      if (count < end || countMs === 0) continue;
      late ??= setTimeout(() => {
        isLate = true;
        connection.interrupt();
      }, countMs);
    }
  } catch (error) {
    if (isLate) return { numbers, total: null };
    throw error;
  } finally {
    clearTimeout(late);
  }
  return { numbers, total: countMs === 0 && count === end ? null : count };
}

/** Null if counting exceeds its time limit. */
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

/** Writes the numbers of all chosen rows, in file order; returns how many there are. */
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

async function countRows(connection: DuckDBConnection, rows: string): Promise<number> {
  return Number((await connection.runAndReadAll(`select count(*) from ${rows}`)).getRows()[0]?.[0] ?? 0);
}
