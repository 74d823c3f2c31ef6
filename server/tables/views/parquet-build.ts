import { rmSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { isRoundedSql } from '../parquet/exact-values.ts';
import { countRows, ParquetProblem } from '../parquet/parquet-footer.ts';
import { listFileColumns, openTable, rowNumber, tableSql, type FileColumn } from '../parquet/parquet-table.ts';
import { refuseWrongLevels } from '../parquet/parquet-queries.ts';
import { copyPlain, hasOtherPages } from '../parquet/plain-pages.ts';
import { identifier } from '../parquet/text-patterns.ts';
import { indexFormat } from './index-format.ts';
import type { ViewColumn, ViewFacts, ViewSource } from './view-protocol.ts';
import { ViewProblem } from './view-reading.ts';

/**
 * The facts of a Parquet file, from its footer: it needs no index. Only if it has names or values that the library
 * changes, or pages that it can't read, its rows are written to an index, under names of ours and with such values as texts.
 */
export async function buildParquetIndex(
  connection: DuckDBConnection,
  { path: given, sizeBytes }: ViewSource,
  indexPath: string,
): Promise<ViewFacts> {
  const plainPath = `${indexPath}.plain`;
  try {
    const rows = await countRows(connection, given);
    if (sizeBytes <= maxCheckedBytes) refuseWrongLevels(given);
    const isPlain = !(await hasOtherPages(connection, given));
    const path = isPlain ? given : plainPath;
    if (!isPlain) copyPlain(given, plainPath, { from: 0, to: Number.MAX_SAFE_INTEGER });
    const columns = await listFileColumns(connection, path);
    const facts = { rows, unreadable: 0, omittedColumns: 0, layout: null };
    const exact = await roundedIn(connection, path, columns, `${indexPath}.source`);
    if (isPlain && exact.length === 0 && columns.every(({ name, readAs }) => name === readAs && !isRowNumber(name)))
      return { ...facts, columns: columns.map(({ type, ...column }) => viewColumnOf(column, type)) };
    const types = await copyRows(connection, { path, columns, exact, indexPath, format: indexFormat(sizeBytes, rows) });
    return {
      ...facts,
      columns: columns.map((column, place) => viewColumnOf(column, types[place] ?? column.type)),
      isCopied: true,
    };
  } catch (error) {
    throw error instanceof ParquetProblem ? new ViewProblem(error.reason) : error;
  } finally {
    rmSync(plainPath, { force: true });
  }
}

/** Larger files would keep their first reader waiting; runs check the levels of all. */
const maxCheckedBytes = 32 << 20;

function isRowNumber(name: string): boolean {
  return name.toLowerCase() === rowNumber;
}

function viewColumnOf({ name, given, isRounded }: Omit<FileColumn, 'type'>, type: string): ViewColumn {
  return {
    name,
    type,
    ...(given === undefined ? {} : { given }),
    ...(isRounded === true ? { hasDigits: true } : {}),
  };
}

/** The columns with values that the library would round. */
async function roundedIn(
  connection: DuckDBConnection,
  path: string,
  columns: readonly FileColumn[],
  copyPath: string,
): Promise<FileColumn[]> {
  const wanted = columns.filter(({ forms }) => forms.some((form) => form !== undefined));
  if (wanted.length === 0) return [];
  try {
    const range = { from: 0, to: Number.MAX_SAFE_INTEGER };
    const opened = openTable(connection, path, { columns, wanted, copyPath, range, isNumbered: false });
    const found = wanted.map((column) => {
      const [form] = column.forms;
      // Within lists and objects, such values are always written as texts.
      if (form === undefined || column.shape.kind !== 'other' || column.forms.length > 1) return 'true';
      return `coalesce(bool_or(${isRoundedSql(identifier(opened.nameOf(column)), form)}), false)`;
    });
    const read = await connection.runAndReadAll(`select ${found.join(', ')} from ${tableSql(opened.path)}`);
    const [flags = []] = read.getRows();
    return wanted.filter((_, index) => flags[index] === true);
  } finally {
    rmSync(copyPath, { force: true });
  }
}

/** Writes the rows with the columns `c0`, `c1` …; returns their types. */
async function copyRows(
  connection: DuckDBConnection,
  given: {
    path: string;
    columns: readonly FileColumn[];
    exact: readonly FileColumn[];
    indexPath: string;
    format: string;
  },
): Promise<string[]> {
  const { path, columns, exact, indexPath, format } = given;
  const copyPath = `${indexPath}.source`;
  try {
    const opened = openTable(connection, path, { columns, wanted: exact, copyPath, isNumbered: false });
    const chosen = columns.map((column, place) => `${opened.sqlOf(column)} as c${place}`);
    await connection.run(
      `copy (select ${chosen.join(', ')} from ${tableSql(opened.path)}) to '${indexPath.replaceAll("'", "''")}' ${format}`,
    );
  } finally {
    rmSync(copyPath, { force: true });
  }
  const written = await connection.runAndReadAll(`select * from ${tableSql(indexPath)} limit 0`);
  return written.columnTypes().map(String);
}
