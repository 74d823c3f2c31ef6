import {
  DuckDBListType,
  DuckDBStructType,
  DuckDBTypeId,
  type DuckDBConnection,
  type DuckDBType,
} from '@duckdb/node-api';
import { inputProblems } from '../../kernel/sentences/index.ts';
import {
  identifier,
  literal,
  nameOfTexts,
  replaceExpression,
  typeOfTexts,
  type ColumnShape,
  type TextPattern,
} from './text-patterns.ts';
import { changedTypes, leafTypes, type LeafType } from './parquet-types.ts';
import { kindOfLeaves, type LeafState } from './column-kinds.ts';
import { countRows, listNames, ParquetProblem } from './parquet-footer.ts';
import { withFields } from './arrow-schema.ts';
import type { ColumnType, ExtractRequest, ParquetColumn, ParquetFacts, RewriteRequest } from './parquet-protocol.ts';

/**
 * Reads the footer; with `decodesAll` also every value, so that a damaged page is found before the file is processed.
 */
export async function inspect(connection: DuckDBConnection, path: string, decodesAll: boolean): Promise<ParquetFacts> {
  const columns = await listColumns(connection, path);
  const names = await listNames(connection, path);
  const renamed = names.find((name, index) => columns[index]?.name !== name);
  if (renamed !== undefined) {
    throw new ParquetProblem(inputProblems.PARQUET_COLUMN_TWICE.reason({ column: JSON.stringify(renamed) }));
  }
  if (names.some((name) => name.toLowerCase() === rowNumber)) {
    throw new ParquetProblem(inputProblems.PARQUET_ROW_COLUMN.reason({ column: rowNumber }));
  }
  const rows = await countRows(connection, path);
  if (decodesAll) {
    const [decoded] = await read(connection, `select count(*) as rows, bit_xor(hash(t)) from ${table(path)} t`);
    if (Number(decoded?.['rows']) !== rows) throw new ParquetProblem(inputProblems.PARQUET_FOOTER.reason({}));
  }
  return {
    rows,
    columns: await withKinds(connection, path, columns),
    columnBytes: await listColumnBytes(connection, path),
    columnChunks: await listColumnChunks(connection, path),
  };
}

/** Column with the row number in the file, from 0. */
const rowNumber = 'file_row_number';

/** Writes rows `[from, to)` of one or several columns as JSON Lines; returns their number. */
export async function extract(connection: DuckDBConnection, request: ExtractRequest): Promise<number> {
  const { source, columns, from, to, outputPath } = request;
  const value =
    typeof columns === 'string'
      ? identifier(columns)
      : `struct_pack(${columns.map((name) => `${identifier(name)} := ${identifier(name)}`).join(', ')})`;
  const rows = `select ${value} as t from ${table(source.path, `${rowNumber} = true`)}
    where ${rowNumber} >= ${from} and ${rowNumber} < ${to}`;
  return copy(connection, rows, outputPath, 'format json');
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
  const columns = await listColumns(connection, source.path);
  const texts = unusedName(columns);
  const { patterns = [], written = [] } = 'patterns' in request ? request : {};
  const item = 'patterns' in request ? itemType(patterns, written) : 'VARCHAR';
  const lines = `read_json(${literal(textsPath)}, format = 'newline_delimited', columns = {t: '${item}[]'},
    maximum_object_size = ${Math.max(1 << 24, longestLineBytes + 1024)})`;
  // Both sides are read sequentially at the same pace: only the rows being written are in memory.
  const joined = `${table(source.path)} s positional join ${lines} j`;
  const rows =
    'patterns' in request
      ? `select ${replacedColumns(columns, { patterns, written, texts }).join(', ')}
        from (select s.*, unnest(case when j.t is null then [null::${item}] else j.t end) as ${texts} from ${joined})`
      : `select ${columns.map(({ name }) => newColumn(name, request.column, texts)).join(', ')} from (select s.*, j.t as ${texts} from ${joined})`;
  const known = new Set(columns.map(({ name }) => name));
  const added = written.filter(({ name }) => !known.has(name));
  const { losses, format } = await formatLike(connection, source.path, { emptyPath: `${outputPath}.empty`, added });
  return { rows: await copy(connection, rows, outputPath, format), losses };
}

type Replacements = { patterns: readonly TextPattern[]; written: readonly ColumnType[]; texts: string };

/** SQL of the columns with their new texts and values, and of the added columns. */
function replacedColumns(columns: readonly ParquetColumn[], { patterns, written, texts }: Replacements): string[] {
  const others = new Map(written.map((column) => [column.name, column]));
  const kept = columns.map((column) => {
    const value = replaceExpression(column, patterns, (index) => `${texts}.${nameOfTexts(index)}`);
    const given = others.get(column.name);
    others.delete(column.name);
    const now =
      given === undefined
        ? value
        : `case when list_contains(${texts}.s, ${literal(column.name)}) then ${valueIn(texts, given)} else ${value} end`;
    return `${now} as ${identifier(column.name)}`;
  });
  return [...kept, ...[...others.values()].map((column) => `${valueIn(texts, column)} as ${identifier(column.name)}`)];
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

function newColumn(name: string, column: string, texts: string): string {
  const quoted = identifier(name);
  if (name !== column) return quoted;
  return `unnest(case when ${texts} is null then [${quoted}] else ${texts} end) as ${quoted}`;
}

async function copy(connection: DuckDBConnection, rows: string, path: string, format: string): Promise<number> {
  const [copied] = await read(connection, `copy (${rows}) to ${literal(path)} (${format})`);
  return Number(copied?.['Count'] ?? 0);
}

const codecs = new Map(
  ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'ZSTD', 'BROTLI', 'LZ4_RAW'].map((codec) => [codec, codec.toLowerCase()]),
);

const arrowSchema = 'ARROW:schema';

/**
 * Options that keep the compression, row group size and key-value metadata of the source, and the column types that the
 * writer lacks. `emptyPath` is a file for trying the options; `added` are the columns that the file gains.
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
  await copy(connection, `select * from ${table(path)} limit 0`, emptyPath, 'format parquet');
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

async function listColumns(connection: DuckDBConnection, path: string): Promise<ParquetColumn[]> {
  const result = await connection.runAndReadAll(`select * from ${table(path)} limit 0`);
  const types = result.columnTypes();
  return result
    .columnNames()
    .map((name, index) => ({ name, type: String(types[index]), shape: shapeOf(types[index]) }));
}

/** The columns with their kinds, for which a column without values says less than one with values. */
async function withKinds(
  connection: DuckDBConnection,
  path: string,
  columns: readonly ParquetColumn[],
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
    return { ...one, kind: kindOfLeaves(one.shape, own) };
  });
}

function shapeOf(type: DuckDBType | undefined): ColumnShape {
  if (type instanceof DuckDBListType) return { kind: 'list', item: shapeOf(type.valueType) };
  if (type instanceof DuckDBStructType) {
    const members = type.entryNames.map((name, index) => [name, shapeOf(type.entryTypes[index])]);
    return { kind: 'struct', members: Object.fromEntries(members) as Record<string, ColumnShape> };
  }
  return type?.typeId === DuckDBTypeId.VARCHAR ? { kind: 'text' } : { kind: 'other', type: String(type) };
}

async function listColumnBytes(connection: DuckDBConnection, path: string): Promise<Record<string, number>> {
  const rows = await read(
    connection,
    `select path_in_schema as name, sum(total_uncompressed_size) as bytes from parquet_metadata(${literal(path)}) group by all`,
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [String(name), Number(bytes)]));
}

async function listColumnChunks(connection: DuckDBConnection, path: string): Promise<ParquetFacts['columnChunks']> {
  const chunks = await read(
    connection,
    `select path_in_schema as name, row_group_num_rows as rows, total_compressed_size as bytes,
      least(coalesce(nullif(dictionary_page_offset, 0), data_page_offset), data_page_offset) as start
    from parquet_metadata(${literal(path)}) order by row_group_id`,
  );
  const found: ParquetFacts['columnChunks'] = {};
  for (const { name, rows, bytes, start } of chunks) {
    const from = Number(start);
    (found[String(name)] ??= []).push({ rows: Number(rows), from, to: from + Number(bytes) });
  }
  return found;
}

function unusedName(columns: readonly ParquetColumn[]): string {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  let name = 'new_texts';
  while (taken.has(name)) name += '_';
  return name;
}

function table(path: string, option?: string): string {
  const more = option === undefined ? '' : `, ${option}`;
  return `read_parquet(${literal(path)}, hive_partitioning = false, binary_as_string = false${more})`;
}

async function read(connection: DuckDBConnection, sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjects();
}
