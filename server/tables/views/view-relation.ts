import { identifier, literal } from '../parquet/text-patterns.ts';
import { indexedValueOf } from './mixed-columns.ts';
import type { AskedColumn } from './view-conditions.ts';
import type { IndexedTable } from './view-protocol.ts';

/** Column with the row number in the file, from 0. */
export const rowNumber = 'file_row_number';

/** The table as SQL reads it: an index, or the Parquet file itself. */
export function relationOf(path: string): string {
  return `read_parquet(${literal(path)}, hive_partitioning = false, ${rowNumber} = true)`;
}

/** The columns with their expressions: by place in an index, by name in a Parquet file. */
export function askedColumns({ facts: { columns, layout } }: IndexedTable): AskedColumn[] {
  return columns.map((column, place) => {
    const { name, type, isMixed } = column;
    const sql = layout === null ? identifier(name) : indexedValueOf(column, place);
    return isMixed === true ? { name, type, sql, json: identifier(`c${place}`) } : { name, type, sql };
  });
}
