import {
  DuckDBArrayType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBTypeId,
  type DuckDBConnection,
  type DuckDBType,
} from '@duckdb/node-api';
import type { ReadAt } from '../lines.ts';
import { findRows, type PlacedRow } from './row-places.ts';
import { problemFrom } from './row-problems.ts';
import { openAt } from './row-walk.ts';
import { withoutFloats } from './shown-texts.ts';
import type { IndexedTable, RowsRequest, ViewFacts, ViewRow } from './view-protocol.ts';
import { withSource } from './view-reading.ts';
import { relationOf, rowNumber, storedValueOf } from './view-relation.ts';
import { cutValues, maxPageCharacters, shownRow, sizeOf } from './view-values.ts';

/** Reads rows by number, in order; fewer if they are long. */
export async function readRowsAt(
  connection: DuckDBConnection,
  shown: ShownTable,
  rows: readonly number[],
): Promise<ViewRow[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (shown.table.facts.hasPlaces === true) return readPlaced(shown, rows);
  // Row numbers let the library skip row groups.
  const chosen =
    last - first === rows.length - 1
      ? `${rowNumber} >= ${first} and ${rowNumber} <= ${last}`
      : `${rowNumber} in (${rows.join(', ')})`;
  return (await readChosen(connection, shown, `where ${chosen} order by ${rowNumber}`)).rows;
}

type ShownTable = Pick<RowsRequest, 'table' | 'maxCellCharacters'>;

/** The shown rows (fewer if they are long), and how many were chosen. */
type Chosen = { rows: ViewRow[]; count: number };

/** Reads the rows that `chosen`, the tail of a query, selects. */
export async function readChosen(connection: DuckDBConnection, shown: ShownTable, chosen: string): Promise<Chosen> {
  const relation = relationOf(shown.table.indexPath);
  if (shown.table.facts.layout === null) return readFromParquet(connection, shown, chosen);
  if (shown.table.facts.hasPlaces === true) {
    const numbers = await connection.runAndReadAll(`select ${rowNumber} from ${relation} ${chosen}`);
    const rows = numbers.getRows().map(([row]) => Number(row));
    return { rows: await readPlaced(shown, rows), count: rows.length };
  }
  const places = `select ${rowNumber}, "start", "length", "line", "problem" from ${relation} ${chosen}`;
  const rows = (await connection.runAndReadAll(places)).getRows().map(([row, start, length, line, problem]) => ({
    row: Number(row),
    start: Number(start),
    lengthBytes: Number(length),
    line: Number(line),
    problem: problem === null ? undefined : String(problem),
  }));
  return { rows: await readFromFile(shown, () => rows), count: rows.length };
}

/** Rows of an index that stores their positions. */
async function readPlaced(shown: ShownTable, numbers: readonly number[]): Promise<ViewRow[]> {
  const { source, indexPath, facts } = shown.table;
  const table = { indexPath, rows: facts.rows, sizeBytes: source.sizeBytes };
  return readFromFile(shown, (read) => findRows(read, table, numbers));
}

/** Rows of a text table, read from its own bytes. */
async function readFromFile(
  { table, maxCellCharacters }: ShownTable,
  placesOf: (read: ReadAt) => Iterable<PlacedRow & { problem?: string | undefined }>,
): Promise<ViewRow[]> {
  const { layout } = table.facts;
  if (layout === null) throw new Error('A text table has a layout');
  return withSource(table.source, (read) => {
    const shown: ViewRow[] = [];
    let characters = 0;
    for (const { row, start, lengthBytes, line, problem } of placesOf(read)) {
      const found = openAt(read, { start, lengthBytes }, layout);
      const opened = problem === undefined ? found : { problem: problemFrom(problem), text: found.text };
      const one = shownRow({ row, line }, opened, { isJson: layout.delimited === undefined, maxCellCharacters });
      characters += sizeOf(one);
      shown.push(one);
      if (characters > maxPageCharacters) break;
    }
    return shown;
  });
}

/** A reader buffers thousands of values per column, so more columns than this are read in parts, for fewer rows. */
const columnsAtOnce = 1_000;
const maxPageCells = 1 << 20;

async function readFromParquet(
  connection: DuckDBConnection,
  { table, maxCellCharacters }: ShownTable,
  chosen: string,
): Promise<Chosen> {
  const { columns } = table.facts;
  const { rows, count } =
    columns.length > columnsAtOnce
      ? await readWide(connection, table, chosen)
      : await readCells(connection, `select ${cellsOf(table.facts, 0)} from ${relationOf(table.indexPath)} ${chosen}`);
  const shown: ViewRow[] = [];
  let characters = 0;
  for (const [row, ...cells] of rows) {
    if (characters > maxPageCharacters) break;
    const values = Object.fromEntries(columns.map(({ name }, place) => [name, cells[place]]));
    const one = { row: Number(row), line: null, ...cutValues(values, maxCellCharacters), problem: null, text: null };
    characters += sizeOf(one);
    shown.push(one);
  }
  return { rows: shown, count };
}

/** The row number and the columns from a place on; names of ours could be those of other columns of the file. */
function cellsOf(facts: ViewFacts, from: number): string {
  const cells = facts.columns
    .slice(from, from + columnsAtOnce)
    .map(({ type }, index) => withoutFloats(storedValueOf(facts, from + index), type));
  return [rowNumber, ...cells].join(', ');
}

/** Rows of cells, the first of which is the row number. */
type Cells = { rows: unknown[][]; count: number };

async function readCells(connection: DuckDBConnection, sql: string): Promise<Cells> {
  const result = await connection.runAndReadAll(sql);
  // Each call lists all types anew.
  const types = result.columnTypes();
  const rows = result.getRowsJson().map((row) => row.map((value, index) => withNumbers(value, types[index])));
  return { rows, count: result.currentRowCount };
}

async function readWide(connection: DuckDBConnection, table: IndexedTable, chosen: string): Promise<Cells> {
  const { columns } = table.facts;
  const relation = relationOf(table.indexPath);
  const found = await connection.runAndReadAll(`select ${rowNumber} from ${relation} ${chosen}`);
  const numbers = found.getRows().map(([row]) => Number(row));
  const read = new Map<number, unknown[]>(
    numbers.slice(0, Math.max(1, Math.floor(maxPageCells / columns.length))).map((row) => [row, [row]]),
  );
  if (read.size === 0) return { rows: [], count: 0 };
  for (let from = 0; from < columns.length; from += columnsAtOnce) {
    const part = `select ${cellsOf(table.facts, from)} from ${relation} where ${rowNumber} in (${[...read.keys()].join(', ')})`;
    for (const [row, ...cells] of (await readCells(connection, part)).rows) read.get(Number(row))?.push(...cells);
  }
  return { rows: [...read.values()], count: numbers.length };
}

const wholeTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
]);

/**
 * Numbers as in JSON: whole numbers of 64 bits and more, which the library returns as texts, become numbers if a double
 * holds all their digits; minus zero, which JSON.stringify writes as 0, becomes a text.
 */
export function withNumbers(value: unknown, type: DuckDBType | undefined): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') return withNumbersInside(value, type);
  if (Object.is(value, -0)) return '-0.0';
  return type !== undefined && wholeTypes.has(type.typeId) && Number.isSafeInteger(Number(value))
    ? Number(value)
    : value;
}

function withNumbersInside(value: object, type: DuckDBType | undefined): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (type instanceof DuckDBListType || type instanceof DuckDBArrayType)
      return items.map((item) => withNumbers(item, type.valueType));
    if (!(type instanceof DuckDBMapType)) return items;
    return (items as readonly { key: unknown; value: unknown }[]).map((entry) => ({
      key: withNumbers(entry.key, type.keyType),
      value: withNumbers(entry.value, type.valueType),
    }));
  }
  if (!(type instanceof DuckDBStructType)) return value;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    type.entryNames.map((name, index) => [name, withNumbers(members[name], type.entryTypes[index])]),
  );
}
