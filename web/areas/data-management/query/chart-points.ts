export const chartKinds = ['bar', 'line', 'histogram'] as const;
export type ChartKind = (typeof chartKinds)[number];
export type ChartPoint = { label: string; value: number };

const most = { bar: 100, line: 1_000 };
const bins = 20;

/** The points of a chart of a result's rows; rows without a number are left out. */
export function chartOf(
  rows: readonly (readonly unknown[])[],
  kind: ChartKind,
  x: number | undefined,
  y: number,
): ChartPoint[] {
  const found = rows.flatMap((row, index) => {
    const value = numberOf(row[y]);
    return value === undefined ? [] : [{ label: x === undefined ? String(index + 1) : labelOf(row[x]), value }];
  });
  return kind === 'histogram' ? histogramOf(found.map(({ value }) => value)) : found.slice(0, most[kind]);
}

function histogramOf(values: readonly number[]): ChartPoint[] {
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((greatest, value) => Math.max(greatest, value), -Infinity);
  if (values.length === 0) return [];
  if (low === high) return [{ label: String(low), value: values.length }];
  const step = (high - low) / bins;
  const counts = Array.from({ length: bins }, () => 0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor((value - low) / step));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((value, bin) => ({ label: String(Number((low + bin * step).toPrecision(4))), value }));
}

/** Whole numbers beyond 2^53 and decimals arrive as strings. */
function numberOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
