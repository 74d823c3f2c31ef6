import { parseJsonText, reviveJsonText } from './json-text.ts';

/** JSON of today's ECMAScript, which the types do not know yet. */
const exact = JSON as unknown as { rawJSON(text: string): ExactNumber; isRawJSON(value: unknown): boolean };

/** A number that a double does not hold, with its digits; `JSON.stringify` writes them. */
export type ExactNumber = { readonly rawJSON: string };

/** What may be a number that a double does not hold: more than 15 digits, with a point among them or none, or a power of two digits. */
const longNumber = /\d[\d.]{15}|\d[eE][+-]?\d{2}/;

/** Parses JSON; numbers that a double would change are written again as they were: `1e400`, and beside such ones `1.50`. */
export function parseExactly(text: string): unknown {
  return parseKeeping(text, (double, source) => String(double) !== source);
}

/** Parses JSON; only numbers that a double does not hold keep their digits: `1.50` is 1.5. */
export function parseWithoutLoss(text: string): unknown {
  return parseKeeping(text, isChanged);
}

/** Whether a text may have numbers that a double does not hold. */
export function mayLoseDigits(text: string): boolean {
  return longNumber.test(text);
}

function parseKeeping(text: string, isKept: (double: number, source: string) => boolean): unknown {
  if (!mayLoseDigits(text)) return parseJsonText(text);
  return reviveJsonText(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && isKept(value, source) ? exact.rawJSON(source) : value,
  );
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return exact.isRawJSON(value);
}

export function exactNumber(digits: string): ExactNumber {
  return exact.rawJSON(digits);
}

/** Whether parsed JSON has an integer whose digits the parser may have changed. */
export function hasRoundedNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasRoundedNumber);
}

/** The double that is the same number, however it is written; undefined if there is none. */
export function toDouble({ rawJSON }: ExactNumber): number | undefined {
  const double = Number(rawJSON);
  return isChanged(double, rawJSON) ? undefined : double;
}

/** Whether a double does not tell the digits that a number is written in: neither its shortest ones nor its 17 are they. */
export function isBeyondDouble(double: number, source: string): boolean {
  return isChanged(double, source) && !(Number.isFinite(double) && normal(source) === normal(double.toPrecision(17)));
}

function isChanged(double: number, source: string): boolean {
  return String(double) !== source && !(Number.isFinite(double) && normal(source) === normal(String(double)));
}

/** Digits without zeros around them, and the power of ten that they stand at. */
function normal(number: string): string {
  const {
    sign = '',
    whole = '',
    part = '',
    power = '0',
  } = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<part>\d+))?(?:[eE](?<power>[+-]?\d+))?$/.exec(number)?.groups ?? {};
  const digits = (whole + part).replace(/^0+/, '');
  // Tried only where zeros begin: at each zero of a long row, it would take the square of its length.
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(power) - part.length + digits.length - significant.length}`;
}
