import { isUtf8 } from 'node:buffer';
import { exactNumber, isBeyondDouble, mayLoseDigits, parseWithoutLoss } from '../kernel/exact-json.ts';
import { JsonTooLarge } from '../kernel/json-memory.ts';
import { parseJsonText, reviveJsonText } from '../kernel/json-text.ts';
import { jsonProblemOf } from '../kernel/json-problems.ts';
import { inputProblems, type Reason } from '../kernel/sentences/index.ts';
import { asciiJson, isAsciiEscaped } from './json-values.ts';
import { textOf } from './utf8-text.ts';
import { endOfString, skipBlanks } from './json-spans.ts';

const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = [0xef, 0xbb, 0xbf] as const;

/** A part of a JSONL file: a row without its line end, or bytes between rows (blank lines, byte order mark). */
export type JsonlPart = { kind: 'row' | 'filler'; start: number; end: number; next: number };

/** Splits whole lines into rows; `[start, end)` is the row, `[end, next)` its line end (LF, CRLF or none). */
export function* partsOf(bytes: Uint8Array, atFileStart: boolean): Generator<JsonlPart> {
  let at = 0;
  if (atFileStart && startsWithByteOrderMark(bytes)) {
    yield { kind: 'filler', start: 0, end: 3, next: 3 };
    at = 3;
  }
  while (at < bytes.length) {
    const found = bytes.indexOf(lineFeed, at);
    const next = found === -1 ? bytes.length : found + 1;
    let end = found === -1 ? bytes.length : found;
    if (found !== -1 && end > at && bytes[end - 1] === carriageReturn) end -= 1;
    yield { kind: isBlank(bytes, at, end) ? 'filler' : 'row', start: at, end, next };
    at = next;
  }
}

export type JsonObject = { readonly [key: string]: unknown };

/** A parsed row, or why it couldn't be read. */
export type ParsedRow = { ok: true; row: JsonObject } | { ok: false; reason: Reason };

/** Parses one row; for anything but a JSON object in UTF-8, returns a reason instead of throwing. */
export function parseRow(bytes: Uint8Array, what: 'line' | 'element' = 'line'): ParsedRow {
  return parseWith(parseJsonText, bytes, what);
}

/** Like `parseRow`, but numbers that a double does not hold keep their digits (`ExactNumber`). */
export function parseRowExactly(bytes: Uint8Array): ParsedRow {
  return parseWith(parseWithoutLoss, bytes, 'line');
}

const problemsOf = {
  line: {
    noUtf8: inputProblems.LINE_NO_UTF8,
    nested: inputProblems.LINE_NESTED_TOO_DEEPLY,
    tooLarge: inputProblems.LINE_TOO_LARGE,
    notJson: inputProblems.LINE_NOT_JSON,
    noObject: inputProblems.LINE_NO_OBJECT,
  },
  element: {
    noUtf8: inputProblems.ELEMENT_NO_UTF8,
    nested: inputProblems.ELEMENT_NESTED_TOO_DEEPLY,
    tooLarge: inputProblems.ELEMENT_TOO_LARGE,
    notJson: inputProblems.ELEMENT_NOT_JSON,
    noObject: inputProblems.ELEMENT_NO_OBJECT,
  },
} as const;

function parseWith(parse: (text: string) => unknown, bytes: Uint8Array, what: 'line' | 'element'): ParsedRow {
  const problems = problemsOf[what];
  if (!isUtf8(bytes)) return { ok: false, reason: problems.noUtf8.reason({ encoding: 'UTF-8' }) };
  if (isNestedTooDeeply(bytes)) return { ok: false, reason: problems.nested.reason({ limit: maxNesting }) };
  const text = textOf(bytes);
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    if (error instanceof JsonTooLarge)
      return { ok: false, reason: problems.tooLarge.reason({ limit: error.limitMib }) };
    const parsed = parseBareNumbers(text, parse);
    if (parsed === undefined) {
      return { ok: false, reason: problems.notJson.reason({ why: jsonProblemOf(error) }) };
    }
    ({ value } = parsed);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, reason: problems.noObject.reason({}) };
  }
  return { ok: true, row: value as JsonObject };
}

/** Values several thousand levels deep would overflow the stack of recursive code. */
const maxNesting = 500;

function isNestedTooDeeply(row: Uint8Array): boolean {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  // Nearly all rows have too few brackets to be too deep, and brackets are counted natively.
  if (bytes.length < 2 * maxNesting || countUpTo(bytes, maxNesting) <= maxNesting) return false;
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at) - 1;
    else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > maxNesting) return true;
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
  }
  return false;
}

/** Counts the brackets that open in a row, including those in texts; stops beyond `limit`. */
function countUpTo(bytes: Buffer, limit: number): number {
  let count = 0;
  for (const bracket of [openBrace, openBracket])
    for (let at = bytes.indexOf(bracket); at !== -1 && count <= limit; at = bytes.indexOf(bracket, at + 1)) count += 1;
  return count;
}

/** Matches strings, which stay as they are, and numbers of JSON5 that JSON lacks. */
const bareNumber = /"(?:[^"\\]|\\.)*"|(?<=[:[,\s])(-?Infinity|NaN)(?=[,\]}\s])/g;

/** A row as JSON, with NaN and infinities as texts. */
export function withQuotedNumbers(row: string): string {
  if (!row.includes('NaN') && !row.includes('Infinity')) return row;
  return row.replace(bareNumber, (whole, number?: string) => (number === undefined ? whole : `"${number}"`));
}

/**
 * Replaces NaN with Infinity in a row that is parsed only for its types, so that it counts as a number, not as null.
 */
export function withInfinities(row: Uint8Array): Uint8Array {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  if (!bytes.includes('NaN')) return row;
  const text = bytes.toString();
  return Buffer.from(text.replace(bareNumber, (whole, number?: string) => (number === 'NaN' ? 'Infinity' : whole)));
}

/**
 * Parses JSON with the numbers `NaN`, `Infinity` and `-Infinity`, as Python writes them. JSON cannot represent NaN, so
 * its value becomes null; the bytes of the row keep it.
 */
function parseBareNumbers(text: string, parse: (text: string) => unknown): { value: unknown } | undefined {
  if (!text.includes('NaN') && !text.includes('Infinity')) return undefined;
  const plain = text.replace(bareNumber, (whole, number?: string) => {
    if (number === undefined) return whole;
    return number === 'NaN' ? 'null' : number.replace('Infinity', '1e999');
  });
  try {
    return { value: parse(plain) };
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON that may contain NaN and infinities as Python writes them, and replaces each number with what `revive`
 * returns for the number and its source text. Throws if the text is not valid JSON otherwise.
 */
export function reviveNumbers(text: string, revive: (number: number, source: string) => unknown): unknown {
  const revived = (json: string, words: ReadonlyMap<string, string>): unknown =>
    reviveJsonText(json, (_key, value, { source }) => {
      if (typeof value !== 'number' || source === undefined) return value;
      const word = words.get(source);
      return word === undefined ? revive(value, source) : revive(Number(word), word);
    });
  if (!text.includes('NaN') && !text.includes('Infinity')) return revived(text, new Map());
  // The words are replaced by numbers that do not occur in the text.
  let power = 99_999;
  while (text.includes(String(power))) power += 1;
  const words = new Map([
    [`1e-${power}`, 'NaN'],
    [`1e${power}`, 'Infinity'],
    [`-1e${power}`, '-Infinity'],
  ]);
  const numbers = new Map([...words].map(([number, word]) => [word, number]));
  return revived(
    text.replace(bareNumber, (whole, word?: string) => numbers.get(word ?? '') ?? whole),
    words,
  );
}

const wholeNumber = /^-?\d+$/;

/** Whether a text may contain numbers that a double does not hold, or NaN or infinities, which JSON lacks. */
export function mayLoseNumbers(text: string): boolean {
  return mayLoseDigits(text) || text.includes('NaN') || text.includes('Infinity');
}

/** The values of a row that `parseRow` accepts, with numbers as written: all digits, NaN and infinities. */
export function parseNumbersOf(text: string): JsonObject {
  if (!mayLoseNumbers(text)) return parseJsonText(text) as JsonObject;
  return reviveNumbers(text, (number, source) =>
    String(number) !== source && (wholeNumber.test(source) || isBeyondDouble(number, source))
      ? exactNumber(source)
      : number,
  ) as JsonObject;
}

/**
 * Replaces the string value of the top-level member `field` and leaves every other byte of the row as it is. Of
 * duplicate members the last one counts, as in JSON.parse. A value written in ASCII with `\u` escapes stays in ASCII.
 * `parseRow` must accept the row, and `field` must be a string; throws otherwise. The value is located only once, since
 * a row may be split into many. Each result is valid until the next call for any row.
 */
export function openSplice(bytes: Uint8Array, field: string): (text: string) => Uint8Array {
  const value = findString(bytes, field);
  if (value === undefined) throw new Error(`The row has no string ${JSON.stringify(field)}`);
  const before = bytes.subarray(0, value.start);
  const after = bytes.subarray(value.end);
  const isAscii = isAsciiEscaped(bytes.subarray(value.start, value.end));
  return (text) => {
    const written = isAscii ? asciiJson(text) : JSON.stringify(text);
    // A UTF-16 unit takes three bytes at most.
    const row = takeMemory(before.length + after.length + written.length * 3);
    row.set(before);
    const writtenEnd = before.length + row.write(written, before.length);
    row.set(after, writtenEnd);
    return row.subarray(0, writtenEnd + after.length);
  };
}

const maxKeptBytes = 1 << 20;
let kept = Buffer.alloc(0);

/** Memory reused across rows: allocating it per row costs more than writing the row. */
function takeMemory(length: number): Buffer {
  if (length > maxKeptBytes) return Buffer.allocUnsafeSlow(length);
  if (length > kept.length) kept = Buffer.allocUnsafeSlow(Math.min(maxKeptBytes, length * 2));
  return kept;
}

/** The readable rows in the first bytes of a file, at most `limit`; a truncated last line is left out. */
export function* firstRows(head: Uint8Array, isWholeFile: boolean, limit: number): Generator<JsonObject> {
  let count = 0;
  for (const part of partsOf(head, true)) {
    if (part.kind === 'filler') continue;
    if (count === limit || (!isWholeFile && part.next === part.end)) return;
    const parsed = parseRow(head.subarray(part.start, part.end));
    if (!parsed.ok) continue;
    count += 1;
    yield parsed.row;
  }
}

/** Range of the string in the last top-level member `field`, quotes included. */
function findString(bytes: Uint8Array, field: string): { start: number; end: number } | undefined {
  let found: { start: number; end: number } | undefined;
  let depth = 0;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      const end = endOfString(bytes, at);
      // At depth 1, a string before a colon is a member name; its value follows.
      const colon = depth === 1 ? skipBlanks(bytes, end) : -1;
      if (colon !== -1 && bytes[colon] === 0x3a) {
        const value = skipBlanks(bytes, colon + 1);
        const text = bytes[value] === quote ? { start: value, end: endOfString(bytes, value) } : undefined;
        if (isName(bytes.subarray(at, end), field)) found = text;
        at = text?.end ?? value;
      } else {
        at = end;
      }
      continue;
    }
    if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    at += 1;
  }
  return found;
}

function isName(quoted: Uint8Array, field: string): boolean {
  return JSON.parse(textOf(quoted)) === field;
}

function startsWithByteOrderMark(bytes: Uint8Array): boolean {
  return byteOrderMark.every((byte, index) => bytes[index] === byte);
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== carriageReturn) return false;
  }
  return true;
}
