import { rmSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { inputProblems } from '../../kernel/sentences/index.ts';
import { identifier, literal } from './text-patterns.ts';
import { leafTypes } from './parquet-types.ts';
import { kindOfLeaves, type LeafState } from './column-kinds.ts';
import { countRows, ParquetProblem } from './parquet-footer.ts';
import { isRoundedSql } from './exact-values.ts';
import {
  copyTo,
  listFileColumns,
  openTable,
  readObjects,
  rowNumber,
  tableSql as table,
  withColumns,
  type FileColumn,
  type ReadableTable,
} from './parquet-table.ts';
import { allRows, copyPlain, hasOtherPages } from './plain-pages.ts';
import { findWrongLevels } from './levels.ts';
import { uniqueNames } from '../unique-names.ts';
import type { ExtractRequest, InspectRequest, ParquetColumn, ParquetFacts } from './parquet-protocol.ts';

/**
 * Reads the footer; with `decodesAll` also every value, so that a damaged page is found before the file is processed.
 */
export async function inspect(
  connection: DuckDBConnection,
  { source, decodesAll }: InspectRequest,
  copyPath: string,
): Promise<ParquetFacts> {
  const { path } = source;
  if (!(await hasOtherPages(connection, path)))
    return inspectFile(connection, { path, readPath: path, copyPath }, decodesAll);
  try {
    copyPlain(source.path, copyPath, allRows);
    return await inspectFile(connection, { path: source.path, readPath: copyPath, copyPath }, decodesAll);
  } finally {
    rmSync(copyPath, { force: true });
  }
}

/** `readPath` is the file itself, or its copy with pages that the library can read. */
async function inspectFile(
  connection: DuckDBConnection,
  { path, readPath, copyPath }: { path: string; readPath: string; copyPath: string },
  decodesAll: boolean,
): Promise<ParquetFacts> {
  const columns = await listFileColumns(connection, readPath);
  const rows = await countRows(connection, path);
  if (decodesAll) {
    refuseWrongLevels(path);
    const decoded = await withColumns(columns, (own) => decode(connection, readPath, own, copyPath));
    if (Number(decoded?.['rows']) !== rows) throw new ParquetProblem(inputProblems.PARQUET_FOOTER.reason({}));
  }
  return {
    rows,
    columns: await withKinds(connection, path, columns),
    ...(await listColumnChunks(connection, path, columns)),
  };
}

async function decode(
  connection: DuckDBConnection,
  path: string,
  columns: readonly FileColumn[],
  copyPath: string,
): Promise<Record<string, unknown> | undefined> {
  const copied = `${copyPath}.source`;
  try {
    const wanted = columns.filter(({ forms }) => forms.some((form) => form?.kind === 'TEXT'));
    const opened = openTable(connection, path, { columns, wanted, copyPath: copied, isNumbered: false });
    return (await readObjects(connection, `select count(*) as rows, bit_xor(hash(t)) from ${table(opened.path)} t`))[0];
  } finally {
    rmSync(copied, { force: true });
  }
}

/** Throws if the levels of a nested column don't match its rows. */
export function refuseWrongLevels(path: string): void {
  const column = findWrongLevels(path);
  if (column !== undefined)
    throw new ParquetProblem(inputProblems.PARQUET_LEVELS.reason({ column: JSON.stringify(column) }));
}

/** Writes rows `[from, to)` of one or several columns as JSON Lines; returns their number. */
export async function extract(connection: DuckDBConnection, request: ExtractRequest): Promise<number> {
  const { source, columns: names, from, to, outputPath } = request;
  const plainPath = `${outputPath}.plain`;
  const isPlain = !(await hasOtherPages(connection, source.path));
  const readPath = isPlain ? source.path : plainPath;
  const firstPlain = isPlain ? 0 : copyPlain(source.path, plainPath, { from, to });
  const columns = await listFileColumns(connection, readPath);
  const copyPath = `${outputPath}.source`;
  const range = { from: from - firstPlain, to: to - firstPlain };
  try {
    return await withColumns(columns, async (own) => {
      const wanted = (typeof names === 'string' ? [names] : names).map((name) => {
        const column = own.find((one) => one.name === name);
        if (column === undefined) throw new ParquetProblem(inputProblems.PARQUET_NO_COLUMN.reason({ column: name }));
        return column;
      });
      const opened = openTable(connection, readPath, { columns: own, wanted, copyPath, range, isNumbered: true });
      const { path, firstRow } = opened;
      const value = valueSql(wanted, typeof names === 'string', opened);
      const rows = `select ${value} as t from ${table(path, `${rowNumber} = true`)}
        where ${rowNumber} >= ${range.from - firstRow} and ${rowNumber} < ${range.to - firstRow}`;
      return copyTo(connection, rows, outputPath, 'format json');
    });
  } finally {
    rmSync(copyPath, { force: true });
    rmSync(plainPath, { force: true });
  }
}

/** The extracted value: a text, an object, or a list of a column whose text is not UTF-8 and the row with its bytes. */
function valueSql(wanted: readonly FileColumn[], isText: boolean, { sqlOf, nameOf }: ReadableTable): string {
  const [only] = wanted;
  const value = isText && only !== undefined ? sqlOf(only) : rowSql(wanted, sqlOf);
  const texts = wanted.filter(({ forms }) => forms[0]?.kind === 'TEXT');
  if (texts.length === 0) return value;
  const bytesOf = (column: FileColumn): string => identifier(nameOf(column));
  const wrong = texts.map(
    (column) => `when ${isRoundedSql(bytesOf(column), { kind: 'TEXT' })} then ${literal(column.name)}`,
  );
  const shown = rowSql(wanted, (column) =>
    texts.includes(column) ? `coalesce(${sqlOf(column)}, cast(${bytesOf(column)} as varchar))` : sqlOf(column),
  );
  const column = `case ${wrong.join(' ')} end`;
  return `case when ${column} is null then to_json(${value}) else json_array(${column}, ${shown}) end`;
}

/** A row as an object; a struct of the library tells no names apart by their case. */
function rowSql(columns: readonly FileColumn[], sqlOf: (column: FileColumn) => string): string {
  const names = columns.map(({ name }) => name);
  const isPlain = uniqueNames(names).every((name, index) => name === names[index]);
  return isPlain
    ? `struct_pack(${columns.map((column) => `${identifier(column.name)} := ${sqlOf(column)}`).join(', ')})`
    : `json_object(${columns.map((column) => `${literal(column.name)}, ${sqlOf(column)}`).join(', ')})::json`;
}

/** The columns with their kinds, for which a column without values says less than one with values. */
async function withKinds(
  connection: DuckDBConnection,
  path: string,
  columns: readonly FileColumn[],
): Promise<ParquetColumn[]> {
  const leaves = leafTypes(await readObjects(connection, `select * from parquet_schema(${literal(path)})`));
  const filled = await readObjects(
    connection,
    `select column_id from parquet_metadata(${literal(path)}) group by all
    having sum(num_values) > coalesce(sum(stats_null_count), 0) or count(*) > count(stats_null_count)`,
  );
  const filledIds = new Set(filled.map(({ column_id: id }) => Number(id)));
  const states = leaves.map(({ column, type }, id) => {
    const state: LeafState = type === 'NULL' ? 'NULL' : filledIds.has(id) ? 'FILLED' : 'EMPTY';
    return { column, state };
  });
  return columns.map((one, index) => {
    const own = states.filter(({ column }) => column === index).map(({ state }) => state);
    const { name, type, shape } = one;
    return { name, type, shape, kind: kindOfLeaves(shape, own) };
  });
}

/** The sizes and places of the values of each leaf column, by the name of its column and the rest of its path. */
async function listColumnChunks(
  connection: DuckDBConnection,
  path: string,
  columns: readonly FileColumn[],
): Promise<Pick<ParquetFacts, 'columnBytes' | 'columnChunks'>> {
  const leaves = leafTypes(await readObjects(connection, `select * from parquet_schema(${literal(path)})`));
  const chunks = await readObjects(
    connection,
    `select column_id as leaf, path_in_schema as path, row_group_num_rows as rows, total_compressed_size as bytes,
      total_uncompressed_size as unpacked, least(coalesce(nullif(dictionary_page_offset, 0), data_page_offset), data_page_offset) as start
    from parquet_metadata(${literal(path)}) order by row_group_id`,
  );
  const columnBytes: ParquetFacts['columnBytes'] = {};
  const columnChunks: ParquetFacts['columnChunks'] = {};
  for (const { leaf, path: given, rows, bytes, unpacked, start } of chunks) {
    const column = columns[leaves[Number(leaf)]?.column ?? -1];
    const own = column?.given ?? column?.name ?? '';
    const name = `${column?.name ?? ''}${String(given).slice(own.length)}`;
    const from = Number(start);
    columnBytes[name] = (columnBytes[name] ?? 0) + Number(unpacked);
    (columnChunks[name] ??= []).push({ rows: Number(rows), from, to: from + Number(bytes) });
  }
  return { columnBytes, columnChunks };
}
