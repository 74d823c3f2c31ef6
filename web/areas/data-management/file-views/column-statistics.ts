import { isExactNumber, numberOf, writeExact } from './exact-numbers.ts';
import type { HeadRow } from './table-head.ts';

export type ColumnType = 'text' | 'number' | 'boolean' | 'list' | 'object' | 'mixed' | 'empty';

/** Statistics of a column: the histogram counts values for numbers, and text lengths for everything else. */
export type ColumnStatistics = {
  type: ColumnType;
  /** Share of rows without a value: no field, null, or an empty text. */
  emptyShare: number;
  histogram: { counts: readonly number[]; from: number | bigint; to: number | bigint } | undefined;
};

const bins = 12;
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Statistics of a column over the readable rows. `isText`: every cell is a text, as in CSV, including numbers. */
export function statisticsOf(rows: readonly HeadRow[], column: string, isText: boolean): ColumnStatistics {
  const cells = rows.flatMap((row) => ('cells' in row ? [row.cells[column]] : []));
  const values = cells.filter((cell) => cell !== undefined && cell !== null && cell !== '');
  const isNumeric = isText && values.every((value) => decimal.test(String(value).trim()));
  const types = new Set(values.map((value) => (isNumeric ? 'number' : typeOf(value))));
  const [only] = types;
  const type = only === undefined ? 'empty' : types.size === 1 ? only : 'mixed';
  const figures = values.map((value) =>
    type === 'number' ? numberOf(value) : (typeof value === 'string' ? value : writeExact(value)).length,
  );
  return {
    type,
    emptyShare: cells.length === 0 ? 0 : 1 - values.length / cells.length,
    histogram: type === 'boolean' ? undefined : histogramOf(figures.filter(isPlaced)),
  };
}

/** NaN and infinities have no place in a histogram. */
function isPlaced(figure: number | bigint): boolean {
  return typeof figure === 'bigint' || Number.isFinite(figure);
}

function typeOf(value: unknown): Exclude<ColumnType, 'mixed' | 'empty'> {
  if (typeof value === 'number' || isExactNumber(value)) return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'text';
  return Array.isArray(value) ? 'list' : 'object';
}

function histogramOf(figures: readonly (number | bigint)[]): ColumnStatistics['histogram'] {
  const [first] = figures;
  if (first === undefined) return undefined;
  const from = figures.reduce((least, figure) => (figure < least ? figure : least), first);
  const to = figures.reduce((most, figure) => (figure > most ? figure : most), first);
  const [low, high] = [Number(from), Number(to)];
  const counts = Array.from({ length: bins }, () => 0);
  for (const figure of figures) {
    const bin = high === low ? 0 : Math.min(bins - 1, Math.floor((bins * (Number(figure) - low)) / (high - low)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { counts, from, to };
}
