import { identifier, literal } from '../parquet/text-patterns.ts';
import { exactPartsOf, indexedValueOf } from './index-columns.ts';
import { nestedTextOf, numberTextOf } from './shown-texts.ts';
import { exactTextOf, isNested, textOf, type AskedColumn } from './view-conditions.ts';
import type { IndexedTable, ViewFacts } from './view-protocol.ts';

/** Column with the row number in the file, from 0. */
export const rowNumber = 'file_row_number';

/** The table as an SQL relation: an index, or the Parquet file itself. */
export function relationOf(path: string): string {
  return `read_parquet(${literal(path)}, hive_partitioning = false, ${rowNumber} = true)`;
}

/** Whether a table may have unreadable rows, and thus a `problem` column. */
export function hasProblemColumn({ layout, hasPlaces }: ViewFacts): boolean {
  return layout !== null && hasPlaces !== true;
}

/** The readable rows of a table. */
export function readableRows({ indexPath, facts }: IndexedTable): string {
  return `${relationOf(indexPath)} where ${hasProblemColumn(facts) ? '"problem" is null' : 'true'}`;
}

/** SQL of a column: by position in an index, by name in a Parquet file. */
export function storedValueOf({ columns, layout, isCopied }: ViewFacts, place: number): string {
  const column = columns[place];
  if (column === undefined) throw new RangeError(`No column ${place}`);
  return layout === null && isCopied !== true ? identifier(column.name) : indexedValueOf(column, place);
}

/** The columns with their SQL expressions: by position in an index, by name in a Parquet file. */
export function askedColumns({ facts }: IndexedTable): AskedColumn[] {
  const { columns, layout } = facts;
  return columns.map((column, place) => {
    const { name, type, isMixed } = column;
    const value = storedValueOf(facts, place);
    const asked: AskedColumn = { name, type, sql: value, value };
    if (isMixed === true) asked.json = identifier(`c${place}`);
    if (layout?.delimited !== undefined) asked.isCell = true;
    // Of a Parquet file, only the file itself has all digits.
    const parts = layout === null ? [] : exactPartsOf(column, place).map(identifier);
    if (parts.length > 0) asked.exact = `coalesce(${parts.join(', ')})`;
    const shown = shownTextOf(asked, column.hasTexts === true ? place : undefined, layout === null);
    if (shown !== undefined) asked.shown = shown;
    if (parts.length === 0) return asked;
    // The library rejects JSON with lone surrogates.
    if (isNested(type) && type !== 'JSON') asked.sql = exactTextOf(asked);
    return asked;
  });
}

/**
 * SQL for the shown text of a column, if it differs from what the library writes: cells as in the file, numbers and
 * JSON as in JavaScript.
 */
function shownTextOf(
  { type, value, exact }: AskedColumn,
  cells: number | undefined,
  isParquet: boolean,
): string | undefined {
  if (cells !== undefined) return `coalesce(${identifier(`t${cells}`)}, ${textOf(value)})`;
  const isNestedType = isNested(type) && type !== 'JSON';
  if (!isNestedType && type !== 'DOUBLE' && type !== 'FLOAT') return undefined;
  const text = isNestedType
    ? nestedTextOf(value, type, isParquet)
    : numberTextOf(value, type === 'FLOAT' ? type : 'DOUBLE');
  return exact === undefined ? text : `coalesce(${exact}, ${text})`;
}
