import { parseJsonText, reviveJsonText } from './json-text.ts';

/** The raw JSON functions of ECMAScript, which TypeScript does not declare yet. */
const exact = JSON as unknown as { rawJSON(text: string): ExactNumber; isRawJSON(value: unknown): boolean };

/** A number that a double cannot represent, with its original digits, which `JSON.stringify` writes. */
export type ExactNumber = { readonly rawJSON: string };

/** Matches numbers that a double may not represent: at least 16 digits, a decimal point included, or an exponent of two digits. */
const longNumber = /\d[\d.]{15}|\d[eE][+-]?\d{2}/;

/** Parses JSON; numbers that a double would write differently are kept as written: `1e400`, and in the same text `1.50`. */
export function parseExactly(text: string): unknown {
  return parseKeeping(text, (double, source) => String(double) !== source);
}

/** Parses JSON; only numbers that a double cannot represent keep their digits: `1.50` becomes 1.5. */
export function parseWithoutLoss(text: string): unknown {
  return parseKeeping(text, isChanged);
}

/** Whether a text may contain numbers that a double cannot represent. */
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

/** The double of equal value, regardless of notation; undefined if there is none. */
export function toDouble({ rawJSON }: ExactNumber): number | undefined {
  const double = Number(rawJSON);
  return isChanged(double, rawJSON) ? undefined : double;
}

/** Whether a double loses digits of `source`: neither its shortest form nor its 17 significant digits reproduce them. */
export function isBeyondDouble(double: number, source: string): boolean {
  return isChanged(double, source) && !(Number.isFinite(double) && normal(source) === normal(double.toPrecision(17)));
}

function isChanged(double: number, source: string): boolean {
  return String(double) !== source && !(Number.isFinite(double) && normal(source) === normal(String(double)));
}

/** Normal form: digits without leading and trailing zeros, and a power of ten. */
function normal(number: string): string {
  const {
    sign = '',
    whole = '',
    part = '',
    power = '0',
  } = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<part>\d+))?(?:[eE](?<power>[+-]?\d+))?$/.exec(number)?.groups ?? {};
  const digits = (whole + part).replace(/^0+/, '');
  // The lookbehind tries each run of zeros only once; without it, a long run would take quadratic time.
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(power) - part.length + digits.length - significant.length}`;
}
