/** What TypeScript does not know yet of the JSON of browsers; one without it rounds, as JSON.parse does. */
type SourceJson = {
  parse: (text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
  rawJSON?: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
};
const json: SourceJson = JSON;

/** A whole number with more digits than a number of JavaScript keeps; JSON.stringify writes its digits. */
export type ExactNumber = { readonly rawJSON: string };

const manyDigits = /\d{16}/;
const wholeNumber = /^[+-]?\d+$/;

/** Parses JSON; whole numbers beyond 2^53, such as int64 of Parquet, keep all digits as an ExactNumber. */
export function parseExact(text: string): unknown {
  const { rawJSON } = json;
  if (rawJSON === undefined || !manyDigits.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, context) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    return source !== undefined && wholeNumber.test(source) ? rawJSON(source) : value;
  });
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return json.isRawJSON?.(value) === true;
}

/** The number that a value or a text is, exact if it is whole. */
export function numberOf(value: unknown): number | bigint {
  const text = isExactNumber(value) ? value.rawJSON : value;
  const rounded = Number(text);
  if (typeof text !== 'string' || Number.isSafeInteger(rounded)) return rounded;
  const trimmed = text.trim();
  return wholeNumber.test(trimmed) ? BigInt(trimmed) : rounded;
}
