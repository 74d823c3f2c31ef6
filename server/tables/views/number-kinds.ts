import { isBeyondDouble, isExactNumber } from '../../kernel/exact-json.ts';

/** Larger than every finite double, so no whole-number type holds it: kept as text. */
const beyond = 10n ** 400n;
const someFraction = 0.5;

/** Prepares a value for kind detection: whole numbers that a double may change become bigint. */
export function withBigInts(value: unknown): unknown {
  if (typeof value === 'number') return isPlainHuge(value) ? BigInt(String(value)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isExactNumber(value)) return numberOf(value.rawJSON);
  if (Array.isArray(value)) return value.map(withBigInts);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withBigInts(part)]));
}

/** A double beyond 64 bits that is still written without an exponent. */
function isPlainHuge(value: number): boolean {
  return Math.abs(value) >= 2 ** 63 && Math.abs(value) < 1e21;
}

const wholeNumber = /^-?\d+$/;

function numberOf(digits: string): number | bigint {
  if (wholeNumber.test(digits)) return BigInt(digits);
  const double = Number(digits);
  if (!Number.isFinite(double)) return beyond;
  // 1.0000000000000000001 is not a whole number, even if its double is.
  return isBeyondDouble(double, digits) ? someFraction : double;
}

/** Whether a number with a point or an exponent has digits that its double loses. */
export function isLongFraction(digits: string): boolean {
  if (wholeNumber.test(digits)) return false;
  const double = Number(digits);
  return Number.isFinite(double) && isBeyondDouble(double, digits);
}

/** The largest absolute value of all numbers in a value; Infinity if one is NaN. */
export function largestIn(value: unknown): number {
  if (typeof value === 'number') return Number.isNaN(value) ? Infinity : Math.abs(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((most, part) => Math.max(most, largestIn(part)), 0);
}
