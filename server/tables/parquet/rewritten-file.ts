import { rmSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { withFields } from './arrow-schema.ts';
import type { StoredForm } from './exact-values.ts';
import { restoreColumns } from './footer-changes.ts';
import {
  copyTo,
  listFileColumns,
  openTable,
  readObjects,
  tableSql as table,
  withColumns,
  type FileColumn,
} from './parquet-table.ts';
import { changedTypes, leafTypes, type LeafType } from './parquet-types.ts';
import { allRows, copyPlain, hasOtherPages } from './plain-pages.ts';
import type { ColumnType, RewriteRequest } from './parquet-protocol.ts';
import { identifier, literal, nameOfTexts, replaceExpression, typeOfTexts, type TextPattern } from './text-patterns.ts';

/**
 * Rewrites the whole file with new texts; keeps everything else, including the row order. Returns the number of rows
 * written, and which column types could not be kept.
 */
export async function rewrite(
  connection: DuckDBConnection,
  request: RewriteRequest,
): Promise<{ rows: number; losses: string[] }> {
  const { source, outputPath } = request;
  const plainPath = `${outputPath}.plain`;
  const isPlain = !(await hasOtherPages(connection, source.path));
  const readPath = isPlain ? source.path : plainPath;
  if (!isPlain) copyPlain(source.path, plainPath, allRows);
  const columns = (await listFileColumns(connection, readPath)).map(withKeptForms);
  try {
    return await withColumns(columns, (own) => rewriteFrom(connection, { ...request, readPath, columns: own }));
  } finally {
    rmSync(plainPath, { force: true });
  }
}

async function rewriteFrom(
  connection: DuckDBConnection,
  request: RewriteRequest & { readPath: string; columns: readonly FileColumn[] },
): Promise<{ rows: number; losses: string[] }> {
  const { source, textsPath, longestLineBytes, outputPath, readPath, columns } = request;
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
    await copyTo(connection, empty, emptyPath, 'format parquet');
    restore(emptyPath, []);
    const { losses, format } = await formatLike(connection, source.path, { emptyPath, added });
    const count = await copyTo(connection, rows, outputPath, format);
    restore(outputPath, added);
    return { rows: count, losses };
  } finally {
    rmSync(copyPath, { force: true });
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
    const own = (text: string): string => storedText(column, text);
    const value = replaceExpression(column, patterns, (index) => own(`${texts}.${nameOfTexts(index)}`));
    const given = others.get(column.name);
    others.delete(column.name);
    const now =
      given === undefined
        ? value
        : `case when list_contains(${texts}.s, ${literal(column.name)}) then ${own(valueIn(texts, given))} else ${value} end`;
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

/** A new text as its column is stored. */
function storedText({ forms }: KeptColumn, text: string): string {
  return forms[0]?.kind === 'TEXT' ? `encode(${text})` : text;
}

function newColumn(kept: KeptColumn, column: string, texts: string): string {
  const { name, sql, as } = kept;
  const quoted = identifier(sql);
  const stored = `list_transform(${texts}, lambda each: ${storedText(kept, 'each')})`;
  if (name !== column) return `${quoted} as ${as}`;
  return `unnest(case when ${texts} is null then [${quoted}] else ${stored} end) as ${as}`;
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
  const [facts] = await readObjects(
    connection,
    `select any_value(compression) as codec, max(row_group_num_rows) as rows from parquet_metadata(${literal(path)})`,
  );
  const codec = codecs.get(String(facts?.['codec'])) ?? 'snappy';
  const rows = Math.min(1 << 20, Math.max(2048, Number(facts?.['rows'] ?? 0)));
  const remarks = await readObjects(
    connection,
    `select decode(key) as key, decode(value) as value from parquet_kv_metadata(${literal(path)}) order by all`,
  );
  const typesIn = async (file: string): Promise<LeafType[]> =>
    leafTypes(await readObjects(connection, `select * from parquet_schema(${literal(file)})`));
  const counted = await readObjects(
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

function unusedName(names: readonly string[]): string {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  let name = 'new_texts';
  while (taken.has(name)) name += '_';
  return name;
}
