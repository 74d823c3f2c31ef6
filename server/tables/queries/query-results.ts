import { DuckDBTypeId, type DuckDBConnection, type DuckDBType } from '@duckdb/node-api';
import { identifier, literal } from '../parquet/text-patterns.ts';
import { withNumbers } from '../views/view-query.ts';
import { storedTypeOf } from '../views/mixed-columns.ts';
import type { QueryColumn, QueryFormat, ResultRows, ReadQuery, WriteQuery, WrittenQuery } from './query-protocol.ts';

/** Characters of a result; it ends early behind the row that passes them. */
const maxResultCharacters = 8 << 20;

type Column = QueryColumn & { duckType: DuckDBType | undefined };

async function columnsOf(connection: DuckDBConnection, view: string): Promise<Column[]> {
  const head = await connection.run(`from ${view} limit 0`);
  const types = head.columnTypes();
  return head.columnNames().map((name, index) => ({ name, type: String(types[index]), duckType: types[index] }));
}

/** Rows of a view from `offset` on. */
export async function readResult(
  connection: DuckDBConnection,
  view: string,
  { offset, limit, maxCellCharacters }: ReadQuery,
): Promise<ResultRows> {
  const columns = await columnsOf(connection, view);
  // Long texts are cut where they are, before they take memory here; one character more tells that there are more.
  const chosen = columns.map(({ name, duckType }) =>
    duckType?.typeId === DuckDBTypeId.VARCHAR
      ? `left(${identifier(name)}, ${maxCellCharacters + 1}) as ${identifier(name)}`
      : identifier(name),
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

/** A value as JSON; a list or an object that is too long is cut as its JSON. */
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
  // Parquet would keep the numbers of more than 64 bits as doubles.
  const chosen = columns.map((column) => {
    const [name, type] = [identifier(column.name), storedTypeOf(column)];
    return type === column.type ? name : `cast(${name} as ${type}) as ${name}`;
  });
  const rows = format === 'PARQUET' ? `select ${chosen.join(', ')} from ${view}` : `from ${view}`;
  const written = await connection.runAndReadAll(`copy (${rows}) to ${literal(outputPath)} (${copyOptions[format]})`);
  return {
    rows: Number(written.getRows()[0]?.[0] ?? 0),
    columns: columns.map(({ name, type }) => ({ name, type })),
  };
}
