// Human-readable numbers and times; a title beside each has the exact value.
const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

const numberFormats = new Map<string, Intl.NumberFormat>();

/** One per locale and options: creating it takes ten times as long as formatting a number, and lists format many. */
function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  let format = numberFormats.get(key);
  if (format === undefined) numberFormats.set(key, (format = new Intl.NumberFormat(locale, options)));
  return format;
}

/** 1536 → `1.54 kB`: decimal units, three significant digits. */
export function formatBytes(sizeBytes: number, locale: string): string {
  let value = sizeBytes;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0;
  return `${numberFormat(locale, { minimumFractionDigits: 0, maximumFractionDigits: digits }).format(value)} ${units[unit] ?? ''}`;
}

/** 1234567 → `1,234,567`. */
export function formatCount(count: number | bigint, locale: string): string {
  return numberFormat(locale).format(count);
}

/** A number of any length with all its digits: `9007199254740993` → `9,007,199,254,740,993`. */
export function formatExact(digits: string, locale: string): string {
  if (/^-?\d+$/.test(digits)) return formatCount(BigInt(digits), locale);
  const number = Number(digits);
  return Number.isFinite(number) ? numberFormat(locale, { maximumSignificantDigits: 17 }).format(number) : digits;
}

/** 0.001234 → `0.00123`, 12.5 → `12.5`. */
export function formatCost(cost: number, locale: string): string {
  return numberFormat(locale, { maximumSignificantDigits: cost !== 0 && Math.abs(cost) < 1 ? 3 : 6 }).format(cost);
}

/** 0.1234 → `12.3 %`. */
export function formatShare(share: number, locale: string): string {
  const format = numberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: share > 0 && share < 0.1 ? 2 : 1,
  });
  // Something is never shown as nothing, nor almost all as all.
  if (share > 0 && share < smallestShare) return `<${format.format(2 * smallestShare)}`;
  if (share < 1 && share >= largestShare) return `>${format.format(0.999)}`;
  return format.format(share);
}

/** Smaller shares round to 0 %, larger ones to 100 %. */
const smallestShare = 0.000_05;
const largestShare = 0.999_5;

/** Duration in milliseconds → `850 ms`, `12 s`, `3 min 5 s`, `2 h 4 min`. */
export function formatDuration(durationMs: number, locale: string): string {
  const part = (value: number, unit: 'millisecond' | 'second' | 'minute' | 'hour' | 'day'): string =>
    numberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 }).format(value);
  if (durationMs < 1000) return part(Math.round(durationMs), 'millisecond');
  if (durationMs < 10_000) return part(Math.round(durationMs / 100) / 10, 'second');
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 60) return part(seconds, 'second');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(part(minutes, 'minute'), seconds % 60, (rest) => part(rest, 'second'));
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return joined(part(hours, 'hour'), minutes % 60, (rest) => part(rest, 'minute'));
  return joined(part(Math.floor(hours / 24), 'day'), hours % 24, (rest) => part(rest, 'hour'));
}

function joined(large: string, rest: number, small: (rest: number) => string): string {
  return rest === 0 ? large : `${large} ${small(rest)}`;
}

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `5 minutes ago`; undefined when it is less than 45 seconds from now. */
export function formatAgo(time: Date, now: Date, locale: string): string | undefined {
  const seconds = (time.getTime() - now.getTime()) / 1000;
  if (Math.abs(seconds) < 45) return undefined;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  for (const [unit, length] of steps) {
    if (Math.abs(seconds) >= length * 0.95) return format.format(Math.round(seconds / length), unit);
  }
  return format.format(Math.round(seconds / 60), 'minute');
}

/** Local date and time to the second. */
export function formatTime(time: Date, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(time);
}
