import { rmSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { inputProblems } from '../../kernel/sentences/index.ts';
import { identifier, literal, nameOfTexts, replaceExpression, typeOfTexts, type TextPattern } from './text-patterns.ts';
import { changedTypes, leafTypes, type LeafType } from './parquet-types.ts';
import { kindOfLeaves, type LeafState } from './column-kinds.ts';
import { countRows, ParquetProblem } from './parquet-footer.ts';
import { restoreColumns } from './footer-changes.ts';
import type { StoredForm } from './exact-values.ts';
import { listFileColumns, openTable, rowNumber, tableSql as table, type FileColumn } from './parquet-table.ts';
import { copyPlain, hasOtherPages } from './plain-pages.ts';
import { findWrongLevels } from './levels.ts';
import { uniqueNames } from '../unique-names.ts';
import { withFields } from './arrow-schema.ts';
import type {
  ColumnType,
  ExtractRequest,
  InspectRequest,
  ParquetColumn,
  ParquetFacts,
  RewriteRequest,
} from './parquet-protocol.ts';

/**
 * Reads the footer; with `decodesAll` also every value, so that a damaged page is found before the file is processed.
 */
export async function inspect(
  connection: DuckDBConnection,
  { source, decodesAll }: InspectRequest,
  copyPath: string,
): Promise<ParquetFacts> {
  if (!(await hasOtherPages(connection, source.path)))
    return inspectFile(connection, source.path, source.path, decodesAll);
  try {
    copyPlain(source.path, copyPath, allRows);
    return await inspectFile(connection, source.path, copyPath, decodesAll);
  } finally {
    rmSync(copyPath, { force: true });
  }
}

const allRows = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** `readPath` is the file itself, or its copy with pages that the library can read. */
async function inspectFile(
  connection: DuckDBConnection,
  path: string,
  readPath: string,
  decodesAll: boolean,
): Promise<ParquetFacts> {
  const columns = await listFileColumns(connection, readPath);
  const rows = await countRows(connection, path);
  if (decodesAll) {
    refuseWrongLevels(path);
    const [decoded] = await read(connection, `select count(*) as rows, bit_xor(hash(t)) from ${table(readPath)} t`);
    if (Number(decoded?.['rows']) !== rows) throw new ParquetProblem(inputProblems.PARQUET_FOOTER.reason({}));
  }
  return {
    rows,
    columns: await withKinds(connection, path, columns),
    ...(await listColumnChunks(connection, path, columns)),
  };
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
  const asked = typeof names === 'string' ? [names] : names;
  const wanted = asked.map((name) => {
    const column = columns.find((one) => one.name === name);
    if (column === undefined) throw new ParquetProblem(inputProblems.PARQUET_NO_COLUMN.reason({ column: name }));
    return column;
  });
  const copyPath = `${outputPath}.source`;
  try {
    const range = { from: from - firstPlain, to: to - firstPlain };
    const { path, sqlOf, firstRow } = openTable(connection, readPath, {
      columns,
      wanted,
      copyPath,
      range,
      isNumbered: true,
    });
    const [only] = wanted;
    const value = typeof names === 'string' && only !== undefined ? sqlOf(only) : rowSql(wanted, sqlOf);
    const rows = `select ${value} as t from ${table(path, `${rowNumber} = true`)}
      where ${rowNumber} >= ${range.from - firstRow} and ${rowNumber} < ${range.to - firstRow}`;
    return await copy(connection, rows, outputPath, 'format json');
  } finally {
    rmSync(copyPath, { force: true });
    rmSync(plainPath, { force: true });
  }
}

/** A row as an object; a struct of the library tells no names apart by their case. */
function rowSql(columns: readonly FileColumn[], sqlOf: (column: FileColumn) => string): string {
  const names = columns.map(({ name }) => name);
  const isPlain = uniqueNames(names).every((name, index) => name === names[index]);
  return isPlain
    ? `struct_pack(${columns.map((column) => `${identifier(column.name)} := ${sqlOf(column)}`).join(', ')})`
    : `json_object(${columns.map((column) => `${literal(column.name)}, ${sqlOf(column)}`).join(', ')})::json`;
}

/**
 * Rewrites the whole file with new texts; keeps everything else, including the row order. Returns the number of rows
 * written, and which column types could not be kept.
 */
export async function rewrite(
  connection: DuckDBConnection,
  request: RewriteRequest,
): Promise<{ rows: number; losses: string[] }> {
  const { source, textsPath, longestLineBytes, outputPath } = request;
  const plainPath = `${outputPath}.plain`;
  const isPlain = !(await hasOtherPages(connection, source.path));
  const readPath = isPlain ? source.path : plainPath;
  if (!isPlain) copyPlain(source.path, plainPath, allRows);
  const columns = (await listFileColumns(connection, readPath)).map(withKeptForms);
  const { patterns = [], written = [] } = 'patterns' in request ? request : {};
  const item = 'patterns' in request ? itemType(patterns, written) : 'VARCHAR';
  const lines = `read_json(${literal(textsPath)}, format = 'newline_delimited', columns = {t: '${item}[]'},
    maximum_object_size = ${Math.max(1 << 24, longestLineBytes + 1024)})`;
  const known = new Set(columns.map(({ name }) => name));
  const added = written.filter(({ name }) => !known.has(name));
  const copyPath = `${outputPath}.source`;
  const emptyPath = `${outputPath}.empty`;
  try {
    const { path, nameOf } = openTable(connection, readPath, {
      columns,
      wanted: columns,
      copyPath,
      isNumbered: false,
    });
    const kept = columns.map((column, place): KeptColumn => ({ ...column, sql: nameOf(column), as: `c${place}` }));
    const texts = unusedName(kept.map(({ sql }) => sql));
    // Both sides are read sequentially at the same pace: only the rows being written are in memory.
    const joined = `${table(path)} s positional join ${lines} j`;
    const rows =
      'patterns' in request
        ? `select ${replacedColumns(kept, { patterns, written, texts }).join(', ')}
          from (select s.*, unnest(case when j.t is null then [null::${item}] else j.t end) as ${texts} from ${joined})`
        : `select ${kept.map((column) => newColumn(column, request.column, texts)).join(', ')} from (select s.*, j.t as ${texts} from ${joined})`;
    const restore = (file: string, more: readonly ColumnType[]): void =>
      restoreColumns(file, source.path, { forms: formsOf(columns), added: more.map(({ name }) => name) });
    const empty = `select ${kept.map(({ sql, as }) => `${identifier(sql)} as ${as}`).join(', ')} from ${table(path)} limit 0`;
    await copy(connection, empty, emptyPath, 'format parquet');
    restore(emptyPath, []);
    const { losses, format } = await formatLike(connection, source.path, { emptyPath, added });
    const count = await copy(connection, rows, outputPath, format);
    restore(outputPath, added);
    return { rows: count, losses };
  } finally {
    rmSync(copyPath, { force: true });
    rmSync(plainPath, { force: true });
  }
}

/** A column in a file that is read, `sql`, and in the one that is written. */
type KeptColumn = FileColumn & { sql: string; as: string };

/** The stored forms that the writer can keep; it has no 96-bit timestamps. */
function withKeptForms(column: FileColumn): FileColumn {
  return { ...column, forms: column.forms.map((form) => (form?.kind === 'INT96' ? undefined : form)) };
}

function formsOf(columns: readonly FileColumn[]): Map<number, StoredForm> {
  const forms = new Map<number, StoredForm>();
  for (const { leaf, forms: own } of columns)
    for (const [index, form] of own.entries()) if (form !== undefined) forms.set(leaf + index, form);
  return forms;
}

type Replacements = { patterns: readonly TextPattern[]; written: readonly ColumnType[]; texts: string };

/** SQL of the columns with their new texts and values, and of the added columns. */
function replacedColumns(columns: readonly KeptColumn[], { patterns, written, texts }: Replacements): string[] {
  const others = new Map(written.map((column) => [column.name, column]));
  const kept = columns.map((column) => {
    const value = replaceExpression(column, patterns, (index) => `${texts}.${nameOfTexts(index)}`);
    const given = others.get(column.name);
    others.delete(column.name);
    const now =
      given === undefined
        ? value
        : `case when list_contains(${texts}.s, ${literal(column.name)}) then ${valueIn(texts, given)} else ${value} end`;
    return `${now} as ${column.as}`;
  });
  const added = [...others.values()].map((column, place) => `${valueIn(texts, column)} as c${columns.length + place}`);
  return [...kept, ...added];
}

function valueIn(texts: string, { name, type }: ColumnType): string {
  const value = `struct_extract(${texts}.c, ${literal(name)})`;
  return type === 'JSON' ? `${value}::varchar` : value;
}

function itemType(patterns: readonly TextPattern[], written: readonly ColumnType[]): string {
  const members = patterns.map((pattern, index) => `${nameOfTexts(index)} ${typeOfTexts(pattern)}`);
  if (written.length > 0) {
    const values = written.map(({ name, type }) => `${identifier(name)} ${type}`);
    members.push(`c STRUCT(${values.join(', ')})`, 's VARCHAR[]');
  }
  return `STRUCT(${members.join(', ')})`;
}

function newColumn({ name, sql, as }: KeptColumn, column: string, texts: string): string {
  const quoted = identifier(sql);
  if (name !== column) return `${quoted} as ${as}`;
  return `unnest(case when ${texts} is null then [${quoted}] else ${texts} end) as ${as}`;
}

async function copy(connection: DuckDBConnection, rows: string, path: string, format: string): Promise<number> {
  const [copied] = await read(connection, `copy (${rows}) to ${literal(path)} (${format})`);
  return Number(copied?.['Count'] ?? 0);
}

const codecs = new Map(
  ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'ZSTD', 'BROTLI', 'LZ4_RAW'].map((codec) => [codec, codec.toLowerCase()]),
);
// The older LZ4, as Hadoop writes it, is no format that others can be expected to read.
codecs.set('LZ4', 'lz4_raw');

const arrowSchema = 'ARROW:schema';

/**
 * Options that keep the compression, row group size and key-value metadata of the source, and the column types that the
 * writer lacks. `emptyPath` is a file that was written without rows; `added` are the columns that the file gains.
 */
async function formatLike(
  connection: DuckDBConnection,
  path: string,
  { emptyPath, added }: { emptyPath: string; added: readonly ColumnType[] },
): Promise<{ format: string; losses: string[] }> {
  const [facts] = await read(
    connection,
    `select any_value(compression) as codec, max(row_group_num_rows) as rows from parquet_metadata(${literal(path)})`,
  );
  const codec = codecs.get(String(facts?.['codec'])) ?? 'snappy';
  const rows = Math.min(1 << 20, Math.max(2048, Number(facts?.['rows'] ?? 0)));
  const remarks = await read(
    connection,
    `select decode(key) as key, decode(value) as value from parquet_kv_metadata(${literal(path)}) order by all`,
  );
  const typesIn = async (file: string): Promise<LeafType[]> =>
    leafTypes(await read(connection, `select * from parquet_schema(${literal(file)})`));
  const counted = await read(
    connection,
    `select column_id, sum(num_values) as count from parquet_metadata(${literal(path)}) group by all order by column_id`,
  );
  const values = counted.map(({ count }) => Number(count));
  const losses = changedTypes(await typesIn(path), await typesIn(emptyPath), values);
  const kept = new Map(remarks.map(({ key, value }) => [String(key), String(value)]));
  // The Arrow schema also describes physical types: if these differ, readers could misread the values.
  const schema = kept.get(arrowSchema);
  const extended = schema === undefined || losses.length > 0 ? undefined : withFields(schema, added);
  if (extended !== undefined) kept.set(arrowSchema, extended);
  else if (kept.delete(arrowSchema)) {
    losses.push(
      'the Arrow schema is left out (dictionaries, large and fixed-size types, durations, names of time zones)',
    );
  }
  const pairs = [...kept].map(([key, value]) => `${identifier(key)}: ${literal(value)}`);
  const metadata = pairs.length === 0 ? '' : `, kv_metadata {${pairs.join(', ')}}`;
  return { format: `format parquet, compression ${codec}, row_group_size ${rows}${metadata}`, losses };
}

/** The columns with their kinds, for which a column without values says less than one with values. */
async function withKinds(
  connection: DuckDBConnection,
  path: string,
  columns: readonly FileColumn[],
): Promise<ParquetColumn[]> {
  const leaves = leafTypes(await read(connection, `select * from parquet_schema(${literal(path)})`));
  const filled = await read(
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
  const leaves = leafTypes(await read(connection, `select * from parquet_schema(${literal(path)})`));
  const chunks = await read(
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

function unusedName(names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  let name = 'new_texts';
  while (taken.has(name)) name += '_';
  return name;
}

async function read(connection: DuckDBConnection, sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjects();
}
