import { hasRoundedNumber, isExactNumber, mayLoseDigits } from '../kernel/exact-json.ts';
import {
  compareNumbers,
  numberOf,
  parseNumber,
  parseTime,
  parseTimeOfDay,
  type ComparedNumber,
} from './condition-values.ts';
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
 * Compiles conditions, all of which must hold. On a path with several values, a condition holds if any value satisfies
 * it (NE: if all do). docs/formats.md documents how values are compared; `view-conditions.ts` implements the same rules
 * in SQL, and one table of cases tests both. Some conditions need the numbers as written (`needsNumbers`). `isCell`:
 * the values are cells, which are untyped texts.
 */
export function compileConditions(conditions: readonly Condition[], isCell = false): (row: Row) => boolean {
  const compiled = conditions.map((condition) => compile(condition, isCell));
  return (row) => compiled.every((holds) => holds(row));
}

/** Whether conditions distinguish numbers that have the same double, or NaN from a missing value. */
export function needsNumbers(conditions: readonly Condition[]): boolean {
  return conditions.some(({ op, value }) => {
    const values: unknown[] = [value].flat();
    return (
      op === 'EXISTS' || op === 'CONTAINS' || isOrder(op) || values.some((one) => one === null || isLongNumber(one))
    );
  });
}

function isLongNumber(value: unknown): boolean {
  return typeof value === 'string' && (mayLoseDigits(value) || Number.isNaN(parseNumber(value)?.double));
}

function isOrder(op: Condition['op']): boolean {
  return ['LT', 'LE', 'GT', 'GE'].includes(op);
}

/**
 * Whether a condition compares with a number whose digits JSON has rounded: it would also match neighbouring numbers.
 */
export function hasLostDigits(value: unknown): boolean {
  return hasRoundedNumber(value);
}

function compile({ field, op, value }: Condition, isCell: boolean): (row: Row) => boolean {
  const path = parseFieldPath(field);
  const some = (test: Test): ((row: Row) => boolean) => {
    return (row) => findValues(row, path).some(test);
  };
  const someValue = (test: Test): ((row: Row) => boolean) => some((found) => !(isCell && found === '') && test(found));
  const is = (one: unknown): ((row: Row) => boolean) =>
    one === null ? (row) => !exists(findValues(row, path), isCell) : some(equalTo(one, isCell));
  switch (op) {
    case 'EQ':
      return is(value);
    case 'NE': {
      const isSame = is(value);
      return (row) => !isSame(row);
    }
    case 'IN': {
      const tests = (Array.isArray(value) ? value : []).map(is);
      return (row) => tests.some((test) => test(row));
    }
    case 'EXISTS':
      return (row) => exists(findValues(row, path), isCell) === (value !== false);
    case 'CONTAINS': {
      const isItem = equalTo(value, false);
      const part = String(value);
      return someValue((found) => (Array.isArray(found) ? found.some(isItem) : shownOf(found).includes(part)));
    }
    case 'LT':
      return someValue(comparedTo(value, (order) => order < 0));
    case 'LE':
      return someValue(comparedTo(value, (order) => order <= 0));
    case 'GT':
      return someValue(comparedTo(value, (order) => order > 0));
    case 'GE':
      return someValue(comparedTo(value, (order) => order >= 0));
  }
}

type Test = (found: unknown) => boolean;

/** An empty cell equals an empty text, but does not count as a value. */
function exists(found: readonly unknown[], isCell: boolean): boolean {
  return found.some((value) => value !== null && !(isCell && value === ''));
}

const truth = /^(?:true|false)$/i;

function equalTo(value: unknown, isCell: boolean): Test {
  const [number, moment, clock] = [numberOf(value), timeOf(value), clockOf(value)];
  const word = typeof value === 'boolean' || (typeof value === 'string' && truth.test(value)) ? String(value) : '';
  const isTyped = typeof value !== 'string' || isCell;
  return (found) => {
    if (typeof found === 'boolean') return word.toLowerCase() === String(found);
    if (typeof found !== 'string') return number !== undefined && isSameNumber(numberOf(found), number);
    if (found === value) return true;
    if (moment !== undefined) return parseTime(found) === moment;
    if (clock !== undefined) return parseTimeOfDay(found) === clock;
    if (!isTyped) return false;
    if (word !== '') return found.toLowerCase() === word.toLowerCase();
    return number !== undefined && isSameNumber(parseNumber(found), number);
  };
}

function isSameNumber(one: ComparedNumber | undefined, other: ComparedNumber): boolean {
  if (one === undefined) return false;
  return compareNumbers(one, other) === 0 || (Number.isNaN(one.double) && Number.isNaN(other.double));
}

function timeOf(value: unknown): bigint | undefined {
  return typeof value === 'string' ? parseTime(value) : undefined;
}

function clockOf(value: unknown): bigint | undefined {
  return typeof value === 'string' ? parseTimeOfDay(value) : undefined;
}

/** A text, or the digits of a number. */
function shownOf(found: unknown): string {
  if (isExactNumber(found)) return found.rawJSON;
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : '';
}

/** Whether a value compares to the given one as wanted; false if the two are not comparable. */
function comparedTo(value: unknown, isWanted: (order: number) => boolean): Test {
  const number = numberOf(value);
  if (number !== undefined) {
    return (found) => {
      const own = numberOf(found);
      return own !== undefined && isWanted(compareNumbers(own, number));
    };
  }
  if (typeof value !== 'string') return () => false;
  const [moment, clock] = [parseTime(value), parseTimeOfDay(value)];
  const given = Buffer.from(value);
  return (found) => {
    if (typeof found !== 'string') return false;
    const [one, other] = moment === undefined ? [parseTimeOfDay(found), clock] : [parseTime(found), moment];
    if (one !== undefined && other !== undefined) return isWanted(one < other ? -1 : one > other ? 1 : 0);
    return isWanted(Buffer.compare(Buffer.from(found), given));
  };
}
