import type { DuckDBConnection } from '@duckdb/node-api';
import { isNested, isNumber, partOf, textOf, type AskedColumn } from './view-conditions.ts';
import type { ColumnFigures, IndexedTable, TableFigures } from './view-protocol.ts';
import { askedColumns, relationOf } from './view-relation.ts';

const bins = 20;
const topValues = 10;
const maxShownCharacters = 200;

/** Figures of each column, from the index. */
export async function describeTable(connection: DuckDBConnection, table: IndexedTable): Promise<TableFigures> {
  const relation = relationOf(table.indexPath);
  const readable = table.facts.layout === null ? 'true' : '"problem" is null';
  const figures: ColumnFigures[] = [];
  for (const column of askedColumns(table))
    figures.push(await describe(connection, column, `${relation} where ${readable}`));
  const duplicates = await countDuplicates(connection, askedColumns(table), `${relation} where ${readable}`);
  return { columns: figures, duplicates };
}

/** By 128 bits of each row: what is grouped has a bounded size. */
async function countDuplicates(
  connection: DuckDBConnection,
  columns: readonly AskedColumn[],
  rows: string,
): Promise<number> {
  if (columns.length === 0) return 0;
  const parts = columns.map(({ sql }) => partOf(textOf(sql))).join(' || ');
  const found = await connection.runAndReadAll(
    `select coalesce(sum(n - 1), 0) from (select count(*) as n from (select md5_number(${parts}) as d from ${rows}) group by d)`,
  );
  return Number(found.getRows()[0]?.[0] ?? 0);
}

type Row = Readonly<Record<string, unknown>>;

async function describe(
  connection: DuckDBConnection,
  { name, type, sql }: AskedColumn,
  rows: string,
): Promise<ColumnFigures> {
  const ask = async (query: string): Promise<Row[]> => (await connection.runAndReadAll(query)).getRowObjectsJson();
  const isNumeric = isNumber(type);
  const isText = type === 'VARCHAR';
  const hasOrder = !isNested(type);
  // By 128 bits of each value, as rows are counted: what is grouped has a bounded size.
  const told = isText || !hasOrder ? `md5_number(${textOf(sql)})` : sql;
  // Infinite numbers have no mean, and no place in a histogram.
  const number = isNumeric ? `case when isfinite(${sql}::double) then ${sql}::double end` : `length(${sql})`;
  const [low, high] = hasOrder ? [`min(${sql})::varchar`, `max(${sql})::varchar`] : ['null', 'null'];
  const [mid, from, to] =
    isNumeric || isText ? [`avg(${number})`, `min(${number})`, `max(${number})`] : ['null', 'null', 'null'];
  const [found = {}] = await ask(
    `select count(*) - count(${sql}) as nulls, ${low} as low, ${high} as high, ${mid} as mean, ${from} as least, ${to} as most from ${rows}`,
  );
  const [different] = await ask(
    `select count(*) as count from (select distinct ${told} as v from ${rows}) where v is not null`,
  );
  const [mean, least, most] = [found['mean'], found['least'], found['most']].map(numberOf);
  const histogram =
    typeof least !== 'number' || typeof most !== 'number' ? [] : await histogramOf(ask, { number, rows, least, most });
  const top = hasOrder
    ? await ask(`select left(${textOf('v')}, ${maxShownCharacters}) as value, count(*) as count from (select ${sql} as v from ${rows})
        where v is not null group by 1 order by 2 desc, 1 limit ${topValues}`)
    : [];
  return {
    name,
    type,
    nulls: Number(found['nulls'] ?? 0),
    distinct: Number(different?.['count'] ?? 0),
    min: shortened(found['low']),
    max: shortened(found['high']),
    mean: isNumeric ? (mean ?? null) : null,
    histogram,
    lengths: isText && typeof mean === 'number' ? { min: least ?? 0, mean, max: most ?? 0 } : null,
    top: top.map(({ value, count }) => ({ value: String(value), count: Number(count) })),
  };
}

async function histogramOf(
  ask: (query: string) => Promise<Row[]>,
  { number, rows, least, most }: { number: string; rows: string; least: number; most: number },
): Promise<ColumnFigures['histogram']> {
  const step = (most - least) / bins;
  if (step === 0 || !Number.isFinite(step)) {
    const [all] = await ask(`select count(${number}) as count from ${rows}`);
    return [{ from: least, to: most, count: Number(all?.['count'] ?? 0) }];
  }
  const found =
    await ask(`select least(${bins - 1}, floor((${number} - cast('${least}' as double)) / cast('${step}' as double)))::integer as bin,
      count(*) as count from ${rows} and ${number} is not null group by 1`);
  const counts = new Map(found.map(({ bin, count }) => [Number(bin), Number(count)]));
  return Array.from({ length: bins }, (_, bin) => ({
    from: least + bin * step,
    to: bin === bins - 1 ? most : least + (bin + 1) * step,
    count: counts.get(bin) ?? 0,
  }));
}

function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function shortened(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, maxShownCharacters).toWellFormed() : null;
}
