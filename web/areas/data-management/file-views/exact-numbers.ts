/** JSON.parse with source text access, which TypeScript does not know yet; browsers without it round numbers. */
type SourceJson = {
  parse: (text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
  rawJSON?: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
};
const json: SourceJson = JSON;

/** A number with more digits than a JavaScript number keeps; JSON.stringify writes all its digits. */
export type ExactNumber = { readonly rawJSON: string };

/** Matches numbers that JavaScript may round: many digits, or an exponent of three. */
const mayBeRounded = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;
const wholeNumber = /^[+-]?\d+$/;

/** Matches the numbers that Python writes but JSON lacks, and strings, in which they are plain text. */
const bareNumber = /"(?:[^"\\]|\\.)*"|(?<=[:[,\s])(-?Infinity|NaN)(?=[,\]}\s])/g;

/**
 * Parses JSON as a run does, with `NaN`, `Infinity` and `-Infinity` as numbers; a number with more digits than JavaScript
 * keeps, such as an int64 or a decimal of Parquet, keeps them as an ExactNumber.
 */
export function parseExact(text: string): unknown {
  try {
    return parseDigits(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    const mark = unusedMark(text);
    const plain = text.replace(bareNumber, (whole, number?: string) =>
      number === undefined ? whole : JSON.stringify(mark + number),
    );
    return parseDigits(plain, mark);
  }
}

/** A marker that does not occur in the text, used to represent the numbers that JSON lacks. */
function unusedMark(text: string): string {
  let mark = '#';
  while (text.includes(mark)) mark += '#';
  return mark;
}

function parseDigits(text: string, mark?: string): unknown {
  const { rawJSON } = json;
  const keepsDigits = rawJSON !== undefined && mayBeRounded.test(text);
  if (!keepsDigits && mark === undefined) return JSON.parse(text);
  return json.parse(text, (_key, value, context) => {
    if (mark !== undefined && typeof value === 'string' && value.startsWith(mark))
      return Number(value.slice(mark.length));
    if (!keepsDigits || typeof value !== 'number') return value;
    const source = context?.source;
    return source === undefined || digitsOf(source) === digitsOf(String(value)) ? value : rawJSON(source);
  });
}

/** The significant digits of a number; text that is no decimal number is returned unchanged. */
function digitsOf(number: string): string {
  const [mantissa = '', exponent] = number.toLowerCase().split('e');
  const digits = mantissa.replaceAll(/[-+.]/g, '').replace(/^0+/, '');
  return exponent === undefined && !mantissa.includes('.') ? digits : digits.replace(/0+$/, '');
}

/** Writes JSON with all digits, and with the numbers that JSON lacks in the notation `parseExact` reads. */
export function writeExact(value: unknown, indent?: number): string {
  let mark = '#';
  let hasMarks = false;
  const write = (): string =>
    JSON.stringify(
      value,
      (_key, part: unknown) => {
        if (typeof part !== 'number' || Number.isFinite(part)) return part;
        hasMarks = true;
        return mark + String(part);
      },
      indent,
    );
  const plain = JSON.stringify(value);
  while (plain.includes(mark)) mark += '#';
  const written = write();
  return hasMarks ? written.replaceAll(new RegExp(`"${mark}(-?Infinity|NaN)"`, 'g'), '$1') : written;
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return json.isRawJSON?.(value) === true;
}

/** A value or text as a number, exact if it is whole. */
export function numberOf(value: unknown): number | bigint {
  const text = isExactNumber(value) ? value.rawJSON : value;
  const rounded = Number(text);
  if (typeof text !== 'string' || Number.isSafeInteger(rounded)) return rounded;
  const trimmed = text.trim();
  return wholeNumber.test(trimmed) ? BigInt(trimmed) : rounded;
}
