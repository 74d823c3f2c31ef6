import { fileNameOf } from '../../../kernel/file-path.ts';
import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import {
  columnsOf,
  kindsOf,
  patternsOf,
  type ColumnShape,
  type ParquetColumn,
  type ParquetFacts,
} from '../../../tables/parquet/index.ts';
import { chooseTextField, describeUnclear } from '../../../tables/text-field.ts';
import type { Unreadable } from './plan.ts';
import type { ChosenColumns, OutputChoice } from '../../orders/shard.ts';

/** Settings that determine which columns of a table are read. */
export type ColumnsWanted = {
  /** Columns that hold the text; null: detect the column. */
  fields: readonly string[] | null;
  /** The columns or paths by which rows are filtered. */
  where: readonly string[];
  /** Set if steps read or write columns other than text columns: all are read. */
  isWholeRow?: boolean | undefined;
  /** The other format in which rows are written, for which all columns are read. */
  output?: OutputChoice['format'] | undefined;
};

/**
 * Chooses what to read: one column if that is enough, otherwise the columns that lead to texts or are used in
 * conditions, or all.
 */
export function chooseColumns(
  path: string,
  facts: ParquetFacts,
  { fields, where, isWholeRow = false, output }: ColumnsWanted,
): ChosenColumns | Unreadable {
  const shapes = shapesOf(facts.columns);
  let named = fields;
  if (named === null) {
    const guess = chooseTextField(stringColumns(facts));
    if (!guess.ok) return { problem: describeUnclear(fileNameOf(path), guess.candidates), isDamaged: false };
    named = [guess.field];
  }
  const patterns = patternsOf(shapes, named);
  if ('problem' in patterns) return unreadable(path, patterns.problem);
  const [name = ''] = named;
  const columns = facts.columns.map((column) => column.name);
  if (output !== undefined) return { name, rows: { columns, patterns, kinds: kindsOf(facts.columns) } };
  if (isWholeRow) {
    const types = Object.fromEntries(facts.columns.map((column) => [column.name, column.type]));
    return { name, rows: { columns, patterns, types } };
  }
  if (where.length === 0 && named.length === 1 && Object.hasOwn(shapes, name)) return { name };
  return { name, rows: { columns: [...new Set(columnsOf(columns, [...named, ...where]))], patterns } };
}

/** Names of its text columns. */
export function stringColumns({ columns }: ParquetFacts): string[] {
  return columns.filter(({ type }) => type === 'VARCHAR').map(({ name }) => name);
}

export function shapesOf(columns: readonly ParquetColumn[]): Record<string, ColumnShape> {
  return Object.fromEntries(columns.map(({ name, shape }) => [name, shape]));
}

/** The columns that are read. */
export function readOf({ name, rows }: ChosenColumns): readonly string[] {
  return rows?.columns ?? [name];
}

export function unreadable(path: string, why: Reason): Unreadable {
  return { problem: inputProblems.UNSUPPORTED_BECAUSE.reason({ file: fileNameOf(path), why }), isDamaged: false };
}
