import type { DuckDBConnection } from '@duckdb/node-api';
import type { Misfits, WriteRequest, Written, WrittenColumn } from './parquet-protocol.ts';
import { identifier, literal } from './text-patterns.ts';

/** Writes JSON Lines as a Parquet file. */
export async function write(connection: DuckDBConnection, request: WriteRequest): Promise<Written> {
  const { columns, keepsMisfits = false } = request;
  try {
    return await copyRows(connection, request, columns, []);
  } catch (error) {
    const misfits = keepsMisfits ? await findMisfits(connection, request) : [];
    if (misfits.length === 0) throw error;
    const unfit = new Set(misfits.map(({ name }) => name));
    // Text holds every value; writing null instead would lose it.
    const changed = columns.map((column) => (unfit.has(column.name) ? { name: column.name, type: 'VARCHAR' } : column));
    return copyRows(connection, request, changed, misfits);
  }
}

async function copyRows(
  connection: DuckDBConnection,
  request: WriteRequest,
  columns: readonly WrittenColumn[],
  misfits: Misfits[],
): Promise<Written> {
  const { outputPath, counted = [], rowsPerGroup } = request;
  const types = columns.map(({ name, type, form }) => [name, form === undefined ? type : textOf(type)] as const);
  const chosen = columns.map((column) => `${valueOf(column)} as ${identifier(column.name)}`);
  const group = rowsPerGroup === undefined ? '' : `, row_group_size ${rowsPerGroup}`;
  const copied = await connection.runAndReadAll(
    `copy (select ${chosen.join(', ')} from ${linesOf(request, types)})
      to ${literal(outputPath)} (format parquet, compression zstd${group})`,
  );
  const rows = Number(copied.getRows()[0]?.[0] ?? 0);
  return { rows, misfits, counts: await countValues(connection, outputPath, counted) };
}

function linesOf(
  { source, longestLineBytes }: WriteRequest,
  types: readonly (readonly [name: string, type: string])[],
): string {
  const columns = types.map(([name, type]) => `${identifier(name)}: ${literal(type)}`);
  return `read_json(${literal(source.path)}, format = 'newline_delimited', columns = {${columns.join(', ')}},
    maximum_object_size = ${Math.max(1 << 24, longestLineBytes + 1024)})`;
}

function isList(type: string): boolean {
  return type.endsWith('[]');
}

function textOf(type: string): string {
  return isList(type) ? 'VARCHAR[]' : 'VARCHAR';
}

function valueOf({ name, type, form }: WrittenColumn): string {
  const value = identifier(name);
  if (form === 'hex') return `unhex(${value})`;
  if (form === 'base64') return `from_base64(${value})`;
  if (form === undefined) return type === 'JSON' ? `${value}::varchar` : value;
  const inexact = inexactOf(value, type);
  const cast = `cast(${value} as ${type})`;
  return inexact === undefined ? cast : `case when ${inexact} then error('does not fit') else ${cast} end`;
}

/**
 * SQL for texts whose cast would succeed but change the value: casts to integers round, Parquet has no infinite times,
 * and its times of day end before 24:00, which its readers take for midnight.
 */
function inexactOf(value: string, type: string): string | undefined {
  const text = isList(type) ? `array_to_string(${value}, ' ')` : value;
  if (/^(?:DATE|TIMESTAMP)/.test(type)) return `regexp_matches(${text}, 'BC|infinity', 'i')`;
  if (/^TIME(?:\[|$)/.test(type)) return `regexp_matches(${text}, '(^| )24:')`;
  if (/^(?:U?(?:TINY|SMALL|BIG)INT|U?INTEGER)/.test(type))
    return `not regexp_full_match(${text}, '[+-]?[0-9]*( [+-]?[0-9]+)*')`;
  // A whole number with more digits than a double holds.
  return type.startsWith('DOUBLE') ? `regexp_matches(${text}, '(^| )-?[0-9]{16,}( |$)')` : undefined;
}

/** Counts, per column, the values that its type does not hold. */
async function findMisfits(connection: DuckDBConnection, request: WriteRequest): Promise<Misfits[]> {
  const tried = request.columns.filter(({ type, form }) => type !== 'VARCHAR' && form !== 'hex' && form !== 'base64');
  if (tried.length === 0) return [];
  const types = tried.map(({ name, type, form }) => [name, form === undefined ? 'JSON' : textOf(type)] as const);
  const counts = tried.map(
    (column, index) => `count(*) filter (where ${isMisfit(column)}) as ${identifier(`n${index}`)}`,
  );
  const found = await connection.runAndReadAll(`select ${counts.join(', ')} from ${linesOf(request, types)}`);
  const [row = []] = found.getRows();
  return tried.flatMap(({ name, type }, index) => {
    const values = Number(row[index] ?? 0);
    return values === 0 ? [] : [{ name, type, values }];
  });
}

function isMisfit({ name, type, form }: WrittenColumn): string {
  const value = identifier(name);
  const tried = `try_cast(${value} as ${type})`;
  const inexact = form === undefined ? undefined : inexactOf(value, type);
  const conditions = [`${tried} is null`, ...(inexact === undefined ? [] : [inexact])];
  if (isList(type)) {
    const nulls = (list: string): string => `len(list_filter(${list}, lambda each: each is null))`;
    conditions.push(`${nulls(tried)} > ${nulls(`cast(${value} as varchar[])`)}`);
  }
  return `${value} is not null and (${conditions.join(' or ')})`;
}

async function countValues(
  connection: DuckDBConnection,
  path: string,
  names: readonly string[],
): Promise<Record<string, number>> {
  if (names.length === 0) return {};
  const counts = names.map((name) => `count(${identifier(name)})`);
  const counted = await connection.runAndReadAll(`select ${counts.join(', ')} from read_parquet(${literal(path)})`);
  const [row = []] = counted.getRows();
  return Object.fromEntries(names.map((name, index) => [name, Number(row[index] ?? 0)]));
}
