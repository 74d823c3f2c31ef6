import { createReadStream, renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { DuckDBTypeId, type DuckDBConnection, type DuckDBType } from '@duckdb/node-api';
import { withQuotedNumbers } from '../jsonl.ts';
import { identifier, literal } from '../parquet/text-patterns.ts';
import { storedTypeOf } from '../views/index-columns.ts';
import { nestedTextOf, withoutFloats } from '../views/shown-texts.ts';
import { isNested } from '../views/view-conditions.ts';
import { withNumbers } from '../views/view-rows.ts';
import type { QueryColumn, QueryFormat, ResultRows, ReadQuery, WriteQuery, WrittenQuery } from './query-protocol.ts';

/** Character limit of a result, which ends after the row that exceeds it. */
const maxResultCharacters = 8 << 20;

type Column = QueryColumn & { duckType: DuckDBType | undefined };

async function columnsOf(connection: DuckDBConnection, view: string): Promise<Column[]> {
  const head = await connection.run(`from ${view} limit 0`);
  const types = head.columnTypes();
  return head.columnNames().map((name, index) => ({ name, type: String(types[index]), duckType: types[index] }));
}

/** Rows of a view, starting at `offset`. */
export async function readResult(
  connection: DuckDBConnection,
  view: string,
  { offset, limit, maxCellCharacters }: ReadQuery,
): Promise<ResultRows> {
  const columns = await columnsOf(connection, view);
  // Truncates long texts in SQL, before they take memory here; one extra character shows that a text is longer.
  const chosen = columns.map(({ name, type, duckType }) =>
    duckType?.typeId === DuckDBTypeId.VARCHAR
      ? `left(${identifier(name)}, ${maxCellCharacters + 1}) as ${identifier(name)}`
      : `${withoutFloats(identifier(name), type)} as ${identifier(name)}`,
  );
  const read = await connection.streamAndReadUntil(
    `select ${chosen.join(', ')} from ${view} limit ${limit + 1} offset ${offset}`,
    limit + 1,
  );
  const types = columns.map(({ duckType }) => duckType);
  const result: ResultRows = {
    columns: columns.map(({ name, type }) => ({ name, type })),
    rows: [],
    cut: [],
    hasMore: false,
  };
  let characters = 0;
  for (const found of read.getRowsJson()) {
    if (result.rows.length === limit || characters > maxResultCharacters) return { ...result, hasMore: true };
    const row = found.map((value, index) => {
      const { value: shown, isCut, length } = shownValue(withNumbers(value, types[index]), maxCellCharacters);
      if (isCut) result.cut.push([result.rows.length, index]);
      characters += length;
      return shown;
    });
    result.rows.push(row);
  }
  return result;
}

/** A value as JSON; a list or an object that is too long is truncated as its JSON. */
function shownValue(value: unknown, maxCharacters: number): { value: unknown; isCut: boolean; length: number } {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null))
    return { value, isCut: false, length: 8 };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= maxCharacters) return { value, isCut: false, length: text.length };
  return { value: text.slice(0, maxCharacters).toWellFormed(), isCut: true, length: maxCharacters };
}

const copyOptions: Readonly<Record<QueryFormat, string>> = {
  CSV: 'format csv, header true',
  JSONL: 'format json, array false',
  PARQUET: 'format parquet, compression zstd',
};

/** Writes all rows of a view to a file. */
export async function writeResult(
  connection: DuckDBConnection,
  view: string,
  { format, outputPath }: WriteQuery,
): Promise<WrittenQuery> {
  const columns = await columnsOf(connection, view);
  // Parquet would store numbers of more than 64 bits as doubles.
  const chosen = columns.map((column) => {
    const [name, type] = [identifier(column.name), storedTypeOf(column)];
    return type === column.type ? name : `cast(${name} as ${type}) as ${name}`;
  });
  // The library writes 32-bit numbers in JSON with the digits of their doubles.
  const plain = columns.map(({ name, type }) => `${withoutFloats(identifier(name), type)} as ${identifier(name)}`);
  const shown = { PARQUET: chosen, JSONL: plain, CSV: cellsOf(columns) };
  const rows = `select ${shown[format].join(', ')} from ${view}`;
  const written = await connection.runAndReadAll(`copy (${rows}) to ${literal(outputPath)} (${copyOptions[format]})`);
  if (format === 'JSONL' && columns.some(({ type }) => /\b(?:FLOAT|DOUBLE)\b/.test(type)))
    await quoteNumbers(outputPath);
  return {
    rows: Number(written.getRows()[0]?.[0] ?? 0),
    columns: columns.map(({ name, type }) => ({ name, type })),
  };
}

/**
 * The columns as cells: lists, objects and maps as their JSON. In a table of one column a row without a value is `""`,
 * as an empty line is no row.
 */
function cellsOf(columns: readonly Column[]): string[] {
  return columns.map((column) => {
    const name = identifier(column.name);
    const cell = isNested(column.type) && column.type !== 'JSON' ? nestedTextOf(name, column.type, true) : name;
    const text = columns.length === 1 ? `coalesce(cast(${cell} as varchar), '')` : cell;
    return text === name ? name : `${text} as ${name}`;
  });
}

/** Turns NaN and infinities, which the library writes but JSON lacks, into texts. */
async function quoteNumbers(path: string): Promise<void> {
  let isFound = false;
  for await (const line of linesOf(path)) {
    isFound = withQuotedNumbers(line) !== line;
    if (isFound) break;
  }
  if (!isFound) return;
  const quoted = await open(`${path}.quoted`, 'w');
  try {
    for await (const line of linesOf(path)) await quoted.write(withQuotedNumbers(line));
  } finally {
    await quoted.close();
  }
  renameSync(`${path}.quoted`, path);
}

/** Lines including their ends; node:readline would also split at U+2028. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let held: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const bytes = chunk as Buffer;
    let at = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, at)) {
      yield Buffer.concat([...held, bytes.subarray(at, end + 1)]).toString();
      held = [];
      at = end + 1;
    }
    held.push(bytes.subarray(at));
  }
  const rest = Buffer.concat(held);
  if (rest.length > 0) yield rest.toString();
}
