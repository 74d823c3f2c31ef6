import { hasRoundedNumber, isExactNumber } from '../kernel/exact-json.ts';
import { findValues, parseFieldPath } from './field-paths.ts';

export const conditionOperators = ['EQ', 'NE', 'IN', 'LT', 'LE', 'GT', 'GE', 'EXISTS', 'CONTAINS'] as const;

/** A condition on a column of a row, or on a value at a path into it. */
export type Condition = {
  readonly field: string;
  readonly op: (typeof conditionOperators)[number];
  readonly value: unknown;
};

type Row = Readonly<Record<string, unknown>>;

/**
 * Compiles conditions, all of which must hold. On a path with several values, a condition holds if it does for one of
 * them (NE: for all). A missing value or null equals only null and meets no other condition. A text, such as a CSV
 * cell, is compared with a number by its numeric value; texts are compared by code units. Whole numbers of 16 digits and more are compared
 * with a text of their digits, if the row has them (`needsDigits`).
 */
export function compileConditions(conditions: readonly Condition[]): (row: Row) => boolean {
  const compiled = conditions.map(compile);
  return (row) => compiled.every((holds) => holds(row));
}

/** A whole number of so many digits that a double may not hold it. */
const longNumber = /^-?[1-9]\d{15,}$/;

/** Whether conditions compare long whole numbers: they need rows whose numbers keep their digits. */
export function needsDigits(conditions: readonly Condition[]): boolean {
  return conditions.some(({ value }) => [value].flat().some((one) => typeof one === 'string' && longNumber.test(one)));
}

/** Whether a condition compares with a number whose digits JSON has lost: it would hold for its neighbours, too. */
export function hasLostDigits({ op, value }: Pick<Condition, 'op' | 'value'>): boolean {
  const isOrder = ['LT', 'LE', 'GT', 'GE'].includes(op);
  return !isOrder && hasRoundedNumber(value);
}

function compile({ field, op, value }: Condition): (row: Row) => boolean {
  const path = parseFieldPath(field);
  const some = (test: (found: unknown) => boolean): ((row: Row) => boolean) => {
    return (row) => findValues(row, path).some(test);
  };
  switch (op) {
    case 'EQ':
      return value === null ? (row) => !exists(findValues(row, path)) : some((found) => isEqual(found, value));
    case 'NE':
      if (value === null) return (row) => exists(findValues(row, path));
      return (row) => findValues(row, path).every((found) => !isEqual(found, value));
    case 'IN': {
      const values: readonly unknown[] = Array.isArray(value) ? value : [];
      return some((found) => values.some((one) => isEqual(found, one)));
    }
    case 'EXISTS':
      return (row) => exists(findValues(row, path)) === (value !== false);
    case 'CONTAINS':
      return some((found) => holds(found, value));
    case 'LT':
      return some((found) => compare(found, value) < 0);
    case 'LE':
      return some((found) => compare(found, value) <= 0);
    case 'GT':
      return some((found) => compare(found, value) > 0);
    case 'GE':
      return some((found) => compare(found, value) >= 0);
  }
}

function exists(found: readonly unknown[]): boolean {
  return found.some((value) => value !== null);
}

function isEqual(found: unknown, value: unknown): boolean {
  if (typeof value === 'string' && longNumber.test(value)) return digitsOf(found) === value;
  if (isExactNumber(found)) return Number(found.rawJSON) === value;
  if (typeof found === 'string' && typeof value === 'boolean') return found.toLowerCase() === String(value);
  return typeof found === 'string' && typeof value === 'number' ? numberOf(found) === value : found === value;
}

function digitsOf(found: unknown): unknown {
  if (isExactNumber(found)) return found.rawJSON;
  return typeof found === 'number' ? String(found) : found;
}

function holds(found: unknown, value: unknown): boolean {
  if (Array.isArray(found)) return found.some((item) => isEqual(item, value));
  return typeof found === 'string' && found.includes(String(value));
}

/** Negative, zero or positive; NaN for values that can't be compared. */
function compare(found: unknown, value: unknown): number {
  if (typeof value === 'number') {
    const number = isExactNumber(found) ? Number(found.rawJSON) : typeof found === 'string' ? numberOf(found) : found;
    return typeof number === 'number' ? number - value : Number.NaN;
  }
  if (typeof found !== 'string' || typeof value !== 'string') return Number.NaN;
  return found < value ? -1 : found > value ? 1 : 0;
}

function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
