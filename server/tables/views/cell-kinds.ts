import { isBeyondDouble, mayLoseDigits } from '../../kernel/exact-json.ts';
import { parseTime } from '../condition-values.ts';

/** Whole numbers that every double holds. */
const shortWhole = /^(?:0|-?[1-9]\d{0,14})$/;
/** Not a code with zeros in front, and not +5. */
const number = /^[ \t]*(?<written>-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4})?)[ \t]*$/;
const whole = /^-?\d+$/;
/** Numbers only in a column that has others. */
const numberWord = /^[ \t]*(?:NaN|nan|-?(?:[Ii]nf|Infinity))[ \t]*$/;
/** Longer ones are no numbers of any type: those of telephones in a row, or hashes. */
const maxDigits = 38;
const mostBigInt = 2n ** 63n - 1n;

const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const timestamp =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?$/;

/** The type that all cells of a column have; empty cells have none. */
export type CellKind = {
  /** Adds a cell; returns the digits of a number if its double does not have them. */
  add(cell: string): string | undefined;
  type(): string;
  /** Whether some cells are written otherwise than the library writes their values. */
  hasTexts(): boolean;
};

type Family = {
  /** False for a cell that is none of it. */
  add(cell: string): boolean;
  /** Digits of the cell that was added last. */
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
    // As JSON writes it: `.5` and `5.` are none there.
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
    // The 30th of February is none.
    add: (cell) => pattern.test(cell) && (Number(cell.slice(8, 10)) <= 28 || parseTime(cell) !== undefined),
    type: () => type,
    hasTexts: () => type === 'TIMESTAMP',
  };
}
