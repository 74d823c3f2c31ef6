import { isExactNumber } from '../../kernel/exact-json.ts';

/** Behind the largest finite doubles, and no type of whole numbers: kept as text. */
const beyond = 10n ** 400n;

/** A value as its kind is told by: whole numbers that a double may change are of type bigint. */
export function withBigInts(value: unknown): unknown {
  if (typeof value === 'number') return isPlainHuge(value) ? BigInt(String(value)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isExactNumber(value)) return numberOf(value.rawJSON);
  if (Array.isArray(value)) return value.map(withBigInts);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withBigInts(part)]));
}

/** More than 64 bits, in digits that are the number's own. */
function isPlainHuge(value: number): boolean {
  return Math.abs(value) >= 2 ** 63 && Math.abs(value) < 1e21;
}

function numberOf(digits: string): number | bigint {
  if (/^-?\d+$/.test(digits)) return BigInt(digits);
  const double = Number(digits);
  return Number.isFinite(double) ? double : beyond;
}

/** The largest of all numbers in a value, without sign. */
export function largestIn(value: unknown): number {
  if (typeof value === 'number') return Number.isNaN(value) ? Infinity : Math.abs(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((most, part) => Math.max(most, largestIn(part)), 0);
}
