import type { DuckDBConnection } from '@duckdb/node-api';
import {
  exactTextOf,
  isNested,
  isNumber,
  isWhole,
  lostDigitsOf,
  onlyTextOf,
  partOf,
  shownTextOf,
  textOf,
  type AskedColumn,
} from './view-conditions.ts';
import type { ColumnFigures, IndexedTable, TableFigures } from './view-protocol.ts';
import { askedColumns, readableRows } from './view-relation.ts';

const bins = 20;
const topValues = 10;
const maxShownCharacters = 200;

/** Texts up to this length are kept whole, longer ones as 128-bit digests: this bounds the size of what is grouped. */
const wholeCharacters = maxShownCharacters;

/** Figures of each column, from the index. */
export async function describeTable(connection: DuckDBConnection, table: IndexedTable): Promise<TableFigures> {
  const rows = readableRows(table);
  const columns = askedColumns(table);
  const described: Described[] = [];
  for (const column of columns) described.push(await describe(connection, column, rows));
  const figures = described.map((one) => one.figures);
  const count = table.facts.rows - table.facts.unreadable;
  // If a column is unique per row, no row is a duplicate.
  const isUnique = figures.some(({ distinct, nulls }) => distinct + Math.min(nulls, 1) === count);
  return { columns: figures, duplicates: isUnique ? 0 : await countDuplicates(connection, columns, described, rows) };
}

async function countDuplicates(
  connection: DuckDBConnection,
  columns: readonly AskedColumn[],
  described: readonly Described[],
  rows: string,
): Promise<number> {
  if (columns.length === 0) return 0;
  const parts = columns.map((column, index) =>
    column.exact === undefined
      ? digestPartOf(textOf(column.sql), described[index]?.isHashed === true)
      : digestPartOf(exactTextOf(column), false),
  );
  const found = await connection.runAndReadAll(
    `select coalesce(sum(n - 1), 0) from (select count(*) as n from (select md5_number(${parts.join(' || ')}) as d from ${rows}) group by d)`,
  );
  return Number(found.getRows()[0]?.[0] ?? 0);
}

/**
 * A text, or the digest of a long one, as part of its row's text, delimited so that parts can't run together. The short
 * hash is used for columns where it has no collisions: it takes a tenth of the time. (So does MD5 as a number, whose
 * digits are slow to write.)
 */
function digestPartOf(text: string, isHashed: boolean): string {
  const digest = isHashed ? `'h' || hash(${text}) || ':'` : `'d' || md5(${text})`;
  return `case when length(${text}) > ${wholeCharacters} then ${digest} else ${partOf(text)} end`;
}

/** `isHashed`: the library's short hash has no collision among the long texts of the column. */
type Described = { figures: ColumnFigures; isHashed: boolean };

type Row = Readonly<Record<string, unknown>>;
type Ask = (query: string) => Promise<Row[]>;

/**
 * The distinct values of a column with their row counts: all figures except the mean of numbers come from this table,
 * so that the column is grouped once.
 */
const groups = 'column_groups';

async function describe(connection: DuckDBConnection, column: AskedColumn, rows: string): Promise<Described> {
  const ask: Ask = async (query) => (await connection.runAndReadAll(query)).getRowObjectsJson();
  await connection.run(`create temp table ${groups} as ${groupsOf(column, rows)}`);
  try {
    const isHashed = hasLongTexts(column.type) && (await areHashesUnique(ask));
    return { figures: await describeGroups(ask, column, rows), isHashed };
  } finally {
    await connection.run(`drop table ${groups}`);
  }
}

function hasLongTexts(type: string): boolean {
  return type === 'VARCHAR' || type === 'JSON' || isNested(type);
}

async function areHashesUnique(ask: Ask): Promise<boolean> {
  const [found] = await ask(`select count(h) as texts, count(distinct h) as hashes from ${groups}`);
  return found?.['texts'] === found?.['hashes'];
}

/**
 * `v`: a value, or the beginning of a text; `d`: distinguishes texts with the same beginning; `h`: the short hash of a
 * long text; `size`: what histograms show; `n`: number of rows.
 */
function groupsOf(column: AskedColumn, rows: string): string {
  const { type, sql } = column;
  const text = textOf(sql);
  const ifLong = (value: string): string => `case when length(${text}) > ${wholeCharacters} then ${value} end`;
  const hash = `${ifLong(`hash(${text})`)} as h`;
  if (type === 'JSON')
    return `select left(${shownTextOf(column)}, ${wholeCharacters}) as v, length(${onlyTextOf(column)}) as size,
      case when ${sql} is not null then md5_number(${text}) end as d, ${hash}, count(*) as n from ${rows} group by all`;
  if (isNested(type))
    return `select md5_number(${text}) as v, ${hash}, null::double as size, count(*) as n from ${rows} group by all`;
  if (type === 'VARCHAR')
    return `select left(${sql}, ${wholeCharacters}) as v, length(${sql}) as size,
      ${ifLong(`md5_number(${sql})`)} as d, ${hash}, count(*) as n from ${rows} group by all`;
  // Fractions with the same double may differ in their digits.
  const lost = lostDigitsOf(column);
  const digits = lost === undefined ? '' : `, ${lost} as d`;
  return `select ${sql} as v, ${finite(type, sql)} as size${digits}, count(*) as n from ${rows} group by all`;
}

/** Excludes infinities and NaN, which have no mean and no place in a histogram. */
function finite(type: string, sql: string): string {
  return isNumber(type) ? `case when isfinite(${sql}::double) then ${sql}::double end` : 'null::double';
}

/** Sums of whole numbers and decimals are exact. */
function meanOf(type: string, sql: string): string {
  return isFloating(type) ? `avg(${finite(type, sql)})` : `avg(${sql})`;
}

function isFloating(type: string): boolean {
  return type === 'DOUBLE' || type === 'FLOAT';
}

async function describeGroups(ask: Ask, { name, type, sql }: AskedColumn, rows: string): Promise<ColumnFigures> {
  const isNumeric = isNumber(type);
  const isText = type === 'VARCHAR' || type === 'JSON';
  const hasOrder = !isNested(type);
  const nan = isFloating(type) ? 'isnan(v)' : 'false';
  const [low, high] = hasOrder
    ? ['min', 'max'].map((most) => `(${most}(v) filter (not ${nan}))::varchar`)
    : ['null', 'null'];
  const [found = {}] = await ask(
    `select coalesce(sum(n) filter (v is null), 0) as nulls, count(v) as count, coalesce(sum(n) filter (${nan}), 0) as nan, ${low} as low, ${high} as high,
      sum(size * n) filter (size is not null) / sum(n) filter (size is not null) as mean, min(size) as least, max(size) as most from ${groups}`,
  );
  // A floating-point sum depends on its order, so it is computed in row order.
  const [average] = isNumeric ? await ask(`select ${meanOf(type, sql)} as mean from ${rows}`) : [found];
  const [mean, least, most] = [average?.['mean'], found['least'], found['most']].map(numberOf);
  const hasSizes = (isNumeric || isText) && typeof least === 'number' && typeof most === 'number';
  const top =
    hasOrder || hasSizes
      ? await ask(`select left(${textOf('v')}, ${maxShownCharacters}) as value, sum(n) as count from ${groups}
        where v is not null group by 1 order by 2 desc, 1 limit ${topValues}`)
      : [];
  return {
    name,
    type,
    nulls: Number(found['nulls'] ?? 0),
    distinct: Number(found['count'] ?? 0),
    min: shortened(found['low'], type),
    max: shortened(found['high'], type),
    nan: Number(found['nan'] ?? 0),
    mean: isNumeric && typeof mean === 'number' ? within(mean, { ...found, least, most }, isWhole(type)) : null,
    histogram: hasSizes ? await histogramOf(ask, least, most) : [],
    lengths: isText && typeof mean === 'number' ? { min: least ?? 0, mean, max: most ?? 0 } : null,
    top: top.map(({ value, count }) => ({ value: shortened(value, type) ?? '', count: Number(count) })),
  };
}

async function histogramOf(ask: Ask, least: number, most: number): Promise<ColumnFigures['histogram']> {
  const step = (most - least) / bins;
  const sized = `from ${groups} where size is not null`;
  if (step === 0 || !Number.isFinite(step)) {
    const [all] = await ask(`select sum(n) as count ${sized}`);
    return [{ from: least, to: most, count: Number(all?.['count'] ?? 0) }];
  }
  const edges = Array.from({ length: bins + 1 }, (_, edge) => (edge === bins ? most : least + edge * step));
  // Compares with the edges that are returned: computing the bin from the step could put a value on the wrong side of
  // an edge.
  const inner = edges.slice(1, -1).map((edge, bin) => `when size < cast('${edge}' as double) then ${bin}`);
  const found = await ask(
    `select case ${inner.join(' ')} else ${bins - 1} end as bin, sum(n) as count ${sized} group by 1`,
  );
  const counts = new Map(found.map(({ bin, count }) => [Number(bin), Number(count)]));
  return edges.slice(0, -1).map((from, bin) => ({ from, to: edges[bin + 1] ?? most, count: counts.get(bin) ?? 0 }));
}

/** Clamps a rounded mean to the least and the greatest value, which may be the same. */
function within(mean: number, { low, high, least, most }: Row, isOfWhole: boolean): number {
  const bounded = Math.min(Math.max(mean, Number(least ?? mean)), Number(most ?? mean));
  if (!isOfWhole || Number.isSafeInteger(bounded) || !Number.isInteger(bounded)) return bounded;
  // Here doubles are further apart than whole numbers.
  const step = 2 ** (Math.floor(Math.log2(Math.abs(bounded))) - 52);
  if (BigInt(bounded) > BigInt(String(high))) return bounded - step;
  return BigInt(bounded) < BigInt(String(low)) ? bounded + step : bounded;
}

function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** The library spells NaN and infinities differently from the files. */
const numberWords: Readonly<Record<string, string>> = { nan: 'NaN', inf: 'Infinity', '-inf': '-Infinity' };

function shortened(value: unknown, type: string): string | null {
  if (typeof value !== 'string') return null;
  return (isFloating(type) ? numberWords[value] : undefined) ?? value.slice(0, maxShownCharacters).toWellFormed();
}
