import { isExactNumber } from '../kernel/exact-json.ts';

/** A number as in JSON, or `.5` or `5.`; `007`, `+5` and `1,5` are texts. */
const writtenNumber =
  /^(?<sign>-?)(?:(?<whole>0|[1-9]\d*)(?:\.(?<part>\d*))?|\.(?<only>\d+))(?:[eE](?<power>[+-]?\d{1,4}))?$/;
/** Numbers with more digits or larger exponents are compared as doubles. */
const maxDigits = 400;

/** A decimal: `digits` times ten to the power of `-scale`. */
export type Decimal = { readonly digits: bigint; readonly scale: number };

/** A number for comparisons: its double, and all its digits. */
export type ComparedNumber = { readonly double: number; readonly decimal: Decimal | undefined };

/** The number that a text holds; undefined if the text is not a number. */
export function parseNumber(text: string): ComparedNumber | undefined {
  const trimmed = text.trim();
  const found = writtenNumber.exec(trimmed)?.groups;
  if (found === undefined) {
    const double = nonFinite.get(trimmed);
    return double === undefined ? undefined : { double, decimal: undefined };
  }
  const { sign = '', whole = '', only = '', part = only, power = '0' } = found;
  const scale = part.length - Number(power);
  const isShort = whole.length + part.length + Math.abs(scale) <= maxDigits;
  const decimal = isShort
    ? atScale({ digits: BigInt(`${sign}${whole}${part}`), scale }, Math.max(0, scale))
    : undefined;
  return { double: Number(trimmed), decimal };
}

/** As written by JSON writers, pandas, NumPy and R. */
const nonFinite: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['nan', Number.NaN],
  ...['inf', 'Inf', 'Infinity'].flatMap((word): [string, number][] => [
    [word, Infinity],
    [`-${word}`, -Infinity],
  ]),
]);

/** The number in a value of a row or condition: a number, or a text that holds one. */
export function numberOf(value: unknown): ComparedNumber | undefined {
  if (typeof value === 'number') return parseNumber(String(value));
  if (isExactNumber(value)) return parseNumber(value.rawJSON);
  return typeof value === 'string' ? parseNumber(value) : undefined;
}

/** Negative, zero or positive; NaN if either number is NaN. */
export function compareNumbers(one: ComparedNumber, other: ComparedNumber): number {
  if (one.decimal !== undefined && other.decimal !== undefined) return compareDecimals(one.decimal, other.decimal);
  if (one.double === other.double) return 0;
  return Number.isNaN(one.double) || Number.isNaN(other.double) ? Number.NaN : one.double < other.double ? -1 : 1;
}

function compareDecimals(one: Decimal, other: Decimal): number {
  const scale = Math.max(one.scale, other.scale);
  const difference = atScale(one, scale).digits - atScale(other, scale).digits;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function atScale({ digits, scale }: Decimal, wanted: number): Decimal {
  return { digits: digits * 10n ** BigInt(wanted - scale), scale: wanted };
}

/** Rounds a decimal down to this many decimal places; `isExact`: nothing was cut off. */
export function floorAt({ digits, scale }: Decimal, places: number): { digits: bigint; isExact: boolean } {
  if (places >= scale) return { digits: digits * 10n ** BigInt(places - scale), isExact: true };
  const unit = 10n ** BigInt(scale - places);
  const rest = ((digits % unit) + unit) % unit;
  return { digits: (digits - rest) / unit, isExact: rest === 0n };
}

const date = String.raw`(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const hour = String.raw`([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?`;
const zone = String.raw`(Z|[+-][01]\d(?::?[0-5]\d)?)?`;

/** The form of texts that are compared as times; SQL uses the same pattern. */
export const writtenTime = `${date}(?:[T ]${hour}${zone})?`;
export const writtenTimeOfDay = hour;
const time = new RegExp(`^${writtenTime}$`);
const timeOfDay = new RegExp(`^${writtenTimeOfDay}$`);

/**
 * Microseconds since 1970 of an ISO 8601 date or time, with a space or a T, in UTC if it has no zone; undefined for any
 * other text.
 */
export function parseTime(text: string): bigint | undefined {
  const [, year, month, day, hours = '0', minutes = '0', seconds = '0', fraction = '', offset = 'Z'] =
    time.exec(text) ?? [];
  if (year === undefined) return undefined;
  const days = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // Rejects 30 February.
  if (new Date(days).getUTCDate() !== Number(day)) return undefined;
  const away = offset === 'Z' ? 0 : minutesOf(offset);
  const whole = days / 1_000 + Number(hours) * 3_600 + (Number(minutes) - away) * 60 + Number(seconds);
  return BigInt(whole) * 1_000_000n + microsecondsOf(fraction);
}

/** Microseconds since midnight of `08:30` or `08:30:15.25`; undefined for any other text. */
export function parseTimeOfDay(text: string): bigint | undefined {
  const [, hours, minutes, seconds = '0', fraction = ''] = timeOfDay.exec(text) ?? [];
  if (hours === undefined) return undefined;
  return BigInt(Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000_000n + microsecondsOf(fraction);
}

function microsecondsOf(fraction: string): bigint {
  return BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

function minutesOf(offset: string): number {
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + (offset.length > 3 ? minutes : 0));
}
