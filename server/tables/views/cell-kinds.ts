import { isBeyondDouble, mayLoseDigits } from '../../kernel/exact-json.ts';
import { parseTime } from '../condition-values.ts';

/** Whole numbers that a double holds exactly. */
const shortWhole = /^(?:0|-?[1-9]\d{0,14})$/;
/** Excludes codes with leading zeros, and +5. */
const number = /^[ \t]*(?<written>-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4})?)[ \t]*$/;
const whole = /^-?\d+$/;
/** Count as numbers only in a column that also has ordinary numbers. */
const numberWord = /^[ \t]*(?:NaN|nan|-?(?:[Ii]nf|Infinity))[ \t]*$/;
/** Longer digit strings are not read as numbers: they are hashes, or concatenated phone numbers. */
const maxDigits = 38;
const mostBigInt = 2n ** 63n - 1n;

const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const timestamp =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?$/;

/** Determines the one type that fits all cells of a column; empty cells are ignored. */
export type CellKind = {
  /** Adds a cell; returns the digits of a number that its double does not hold exactly. */
  add(cell: string): string | undefined;
  type(): string;
  /** Whether the library would write the values of some cells differently from the file. */
  hasTexts(): boolean;
};

type Family = {
  /** False if the cell does not belong to this family. */
  add(cell: string): boolean;
  /** Digits of the last added cell. */
  digits?(): string | undefined;
  type(): string;
  hasTexts(): boolean;
};

export function createCellKind(): CellKind {
  let family: Family | undefined;
  let isText = false;
  return {
    add(cell) {
      if (isText || cell === '') return undefined;
      family ??= familyOf(cell);
      isText = family?.add(cell) !== true;
      return isText ? undefined : family?.digits?.();
    },
    type: () => (isText ? 'VARCHAR' : (family?.type() ?? 'VARCHAR')),
    hasTexts: () => !isText && family?.hasTexts() === true,
  };
}

function familyOf(cell: string): Family | undefined {
  if (number.test(cell) || numberWord.test(cell)) return createNumbers();
  if (/^(?:true|false)$/i.test(cell)) return createTruths();
  if (date.test(cell)) return createTimes('DATE', date);
  return timestamp.test(cell) ? createTimes('TIMESTAMP', timestamp) : undefined;
}

function createNumbers(): Family {
  let [hasNumbers, hasFractions, isHuge, isOdd] = [false, false, false, false];
  let digits: string | undefined;

  function addWhole(written: string): boolean {
    if (written.length > 15) {
      if (written.replace('-', '').length > maxDigits) return false;
      const value = BigInt(written);
      if (value > mostBigInt || value < -mostBigInt - 1n) isHuge = true;
      if (isBeyondDouble(Number(written), written)) digits = written;
    }
    if (written === '-0') isOdd = true;
    return true;
  }

  function addFraction(written: string): boolean {
    hasFractions = true;
    const double = Number(written);
    if (!Number.isFinite(double)) return false;
    if (!mayLoseDigits(written)) return true;
    // In JSON's notation, which allows neither `.5` nor `5.`.
    const plain = written.replace(/^(-?)\./, '$10.').replace(/\.(?=[eE]|$)/, '');
    if (isBeyondDouble(double, plain)) digits = plain;
    return true;
  }

  return {
    add(cell) {
      digits = undefined;
      if (shortWhole.test(cell)) {
        hasNumbers = true;
        return true;
      }
      const written = number.exec(cell)?.groups?.['written'];
      if (written === undefined) {
        hasFractions = true;
        return numberWord.test(cell);
      }
      hasNumbers = true;
      if (written !== cell) isOdd = true;
      return whole.test(written) ? addWhole(written) : addFraction(written);
    },
    digits: () => digits,
    type() {
      if (!hasNumbers) return 'VARCHAR';
      if (hasFractions) return 'DOUBLE';
      return isHuge ? 'HUGEINT' : 'BIGINT';
    },
    hasTexts: () => hasNumbers && (hasFractions || isOdd),
  };
}

function createTruths(): Family {
  let isOdd = false;
  return {
    add(cell) {
      if (cell === 'true' || cell === 'false') return true;
      isOdd = true;
      return /^(?:true|false)$/i.test(cell);
    },
    type: () => 'BOOLEAN',
    hasTexts: () => isOdd,
  };
}

function createTimes(type: 'DATE' | 'TIMESTAMP', pattern: RegExp): Family {
  return {
    // Rejects 30 February.
    add: (cell) => pattern.test(cell) && (Number(cell.slice(8, 10)) <= 28 || parseTime(cell) !== undefined),
    type: () => type,
    hasTexts: () => type === 'TIMESTAMP',
  };
}
