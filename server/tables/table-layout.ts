import { inputProblems, type Reason } from '../kernel/sentences/index.ts';
import { headerRecords, type DelimitedTable } from './delimited.ts';
import type { Certainty, DetectedEncoding, Encoding } from '../encodings/encodings.ts';
import { readFully, type ReadAt } from './lines.ts';
import { beginsArray, firstElements, type ArrayEnd } from './json-array.ts';
import { firstRows, parseRow, type JsonObject } from './jsonl.ts';
import { chooseTextField, guessTextField, type TextField } from './text-field.ts';
import { byteOrderMark, detectEncoding, isMostlyControls, type FileHead } from '../encodings/encoding-detection.ts';
import { stringColumns } from './cell-words.ts';
import { rowsLookedAt, sniffDialect, firstRecords } from './dialect-guess.ts';

/** How many bytes at a file's beginning are inspected to detect its layout. */
export const headBytes = 1 << 20;

/** The layout of a table of rows in a text file: the same for every part of the file, as plain data. */
export type TableLayout = {
  encoding: Encoding;
  /** How certain the detected encoding is; `GIVEN` if it was configured. */
  certainty: Certainty | 'GIVEN';
  /** Length of the byte order mark in bytes. */
  markBytes: number;
  /** Name of the column that holds the text; `noField` if none does. */
  field: string;
  /** Line end that is inserted between new lines: that of the file's first line. */
  newline: '\n' | '\r\n' | '\r';
  /** Undefined for JSON. */
  delimited?: DelimitedTable;
  /** Set for an array of objects, whose elements are the rows. */
  isArray?: true;
  /** How the array ends, if its file was scanned. */
  arrayEnd?: ArrayEnd;
};

/** Value of `field` if no column of the table holds the text. */
export const noField = '';

export type RowFormat = 'jsonl' | 'csv' | 'tsv' | 'json';

/** A layout; why the file can't be read as a table; or that the text column is ambiguous, with the candidates. */
export type LayoutAnswer =
  | { ok: true; layout: TableLayout; isColumnKnown: boolean }
  | { ok: false; problem: Reason }
  | { ok: false; candidates: string[] };

/** The beginning of a file, and lines from later parts as further evidence of its encoding. */
export type TableHead = FileHead & { further?: Uint8Array };

/** The configured text column and encoding of a table. */
export type Named = { field: string | undefined; encoding: Encoding | undefined };

/** Detects a table's layout from the first bytes of its file. */
export function readLayout(head: TableHead, format: RowFormat, { field, encoding: named }: Named): LayoutAnswer {
  const detected = detectTable(head, format, named);
  const { encoding = 'utf-8', markBytes = 0, certainty = 'CERTAIN' } = detected ?? {};
  const bytes = decodeHead(head, encoding, markBytes);
  if (format === 'json')
    return arrayLayout({ bytes, isWholeFile: head.isWholeFile }, { encoding, certainty, markBytes }, field);
  if (format !== 'jsonl' && (detected === undefined || isMostlyControls(bytes))) {
    return { ok: false, problem: inputProblems.BYTES_NO_TEXT.reason({}) };
  }
  const decoded = { bytes, isWholeFile: head.isWholeFile };
  const basis = { encoding, certainty, markBytes, newline: newlineOf(bytes, format) };
  return format === 'jsonl' ? jsonLayout(decoded, basis, field) : delimitedLayout(decoded, basis, format, field);
}

/**
 * A byte order mark decides, then the configured encoding. JSON is UTF-8 by its standard, whatever its bytes look like.
 */
function detectTable(
  head: TableHead,
  format: RowFormat,
  named: Encoding | undefined,
): (Pick<DetectedEncoding, 'encoding' | 'markBytes'> & { certainty: TableLayout['certainty'] }) | undefined {
  const mark = byteOrderMark(head.bytes);
  if (mark !== undefined) return mark;
  if (named !== undefined && format !== 'json') return { encoding: named, markBytes: 0, certainty: 'GIVEN' };
  if (format === 'jsonl' || format === 'json') return { encoding: 'utf-8', markBytes: 0, certainty: 'CERTAIN' };
  const { bytes, further } = head;
  const isAlone = further === undefined || further.length === 0;
  return detectEncoding(isAlone ? head : { bytes: withFurther(bytes, further), isWholeFile: true }, true);
}

/** Whole lines of the head, followed by the further lines. */
function withFurther(bytes: Uint8Array, further: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1), further]);
}

const furtherParts = 16;
const furtherBytes = 64 << 10;

/** Reads the bytes that `readLayout` inspects. */
export function readHead(read: ReadAt, sizeBytes: number, format: RowFormat): TableHead {
  const bytes = Buffer.alloc(Math.min(sizeBytes, headBytes));
  readFully(read, bytes, 0);
  const isWholeFile = bytes.length === sizeBytes;
  if (isWholeFile || format === 'jsonl' || format === 'json') return { bytes, isWholeFile };
  const lines: Uint8Array[] = [];
  for (let part = 1; part <= furtherParts; part += 1) {
    const at = Math.floor(headBytes + ((sizeBytes - headBytes - furtherBytes) * part) / furtherParts);
    if (at < headBytes) continue;
    const found = new Uint8Array(furtherBytes);
    readFully(read, found, at);
    const first = found.indexOf(0x0a) + 1;
    lines.push(found.subarray(first, Math.max(first, found.lastIndexOf(0x0a) + 1)));
  }
  return { bytes, isWholeFile, further: Buffer.concat(lines) };
}

function newlineOf(bytes: Uint8Array, format: RowFormat): TableLayout['newline'] {
  const first = bytes.indexOf(0x0a);
  if (first === -1) return format !== 'jsonl' && bytes.includes(0x0d) ? '\r' : '\n';
  return bytes[first - 1] === 0x0d ? '\r\n' : '\n';
}

/** The head as UTF-8 without its byte order mark. */
function decodeHead({ bytes }: FileHead, encoding: Encoding, markBytes: number): Uint8Array {
  const content = bytes.subarray(markBytes);
  return encoding === 'utf-8' ? content : Buffer.from(new TextDecoder(encoding, { ignoreBOM: true }).decode(content));
}

/** The first readable rows of JSON Lines. */
export function headRows(head: TableHead, { encoding, markBytes, isArray }: TableLayout): Iterable<JsonObject> {
  const bytes = decodeHead(head, encoding, markBytes);
  return isArray === true ? elementRows(bytes) : firstRows(bytes, head.isWholeFile, rowsLookedAt);
}

/** The first rows of a delimited table, without its header; cells in column order. */
export function headCells(head: TableHead, { encoding, markBytes, delimited }: TableLayout): string[][] {
  if (delimited === undefined) return [];
  const bytes = decodeHead(head, encoding, markBytes);
  return firstRecords({ bytes, isWholeFile: head.isWholeFile }, delimited).slice(headerRecords(delimited));
}

/** Whether the whole table is in the head and has no rows. */
export function isEmptyTable(head: TableHead, layout: TableLayout): boolean {
  if (!head.isWholeFile) return false;
  if (layout.delimited !== undefined) return headCells(head, layout).length === 0;
  const content = Buffer.from(decodeHead(head, layout.encoding, layout.markBytes)).toString();
  return layout.isArray === true ? /^[ \t\r\n]*\[[ \t\r\n]*\][ \t\r\n]*$/.test(content) : /^[ \t\r\n]*$/.test(content);
}

type Basis = Pick<TableLayout, 'encoding' | 'certainty' | 'markBytes' | 'newline'>;

function jsonLayout({ bytes, isWholeFile }: FileHead, basis: Basis, named: string | undefined): LayoutAnswer {
  if (named !== undefined) return { ok: true, layout: { ...basis, field: named }, isColumnKnown: true };
  const guess = guessTextField(firstRows(bytes, isWholeFile, rowsLookedAt));
  return withField(guess, (field) => ({ ...basis, field }));
}

function arrayLayout({ bytes }: FileHead, basis: Omit<Basis, 'newline'>, named: string | undefined): LayoutAnswer {
  if (!beginsArray(bytes)) {
    return { ok: false, problem: inputProblems.JSON_NO_ARRAY.reason({}) };
  }
  if (basis.encoding !== 'utf-8')
    return { ok: false, problem: inputProblems.JSON_OTHER_ENCODING.reason({ encoding: basis.encoding.toUpperCase() }) };
  const layout = { ...basis, newline: '\n' as const, isArray: true as const };
  if (named !== undefined) return { ok: true, layout: { ...layout, field: named }, isColumnKnown: true };
  return withField(guessTextField(elementRows(bytes)), (field) => ({ ...layout, field }));
}

/** The first readable elements of an array. */
function* elementRows(bytes: Uint8Array): Generator<JsonObject> {
  for (const element of firstElements(bytes, rowsLookedAt).elements) {
    const parsed = parseRow(element);
    if (parsed.ok) yield parsed.row;
  }
}

function withField(guess: TextField | undefined, layoutOf: (field: string) => TableLayout): LayoutAnswer {
  if (guess === undefined) return { ok: true, layout: layoutOf('text'), isColumnKnown: false };
  return guess.ok ? { ok: true, layout: layoutOf(guess.field), isColumnKnown: true } : guess;
}

function delimitedLayout(head: FileHead, basis: Basis, format: 'csv' | 'tsv', named: string | undefined): LayoutAnswer {
  const lineEnd = basis.newline === '\r' ? 0x0d : 0x0a;
  const separator = separatorLine(head.bytes);
  const { dialect, above } =
    separator === undefined
      ? sniffDialect(head, format, lineEnd, basis.encoding)
      : { dialect: { delimiter: separator.delimiter, lineEnd, quoting: true }, above: [separator.text] };
  const [header, ...rows] = firstRecords(head, dialect).slice(above.length);
  if (header === undefined) {
    const isEmpty = head.bytes.length < headBytes / 2 && head.isWholeFile;
    if (!isEmpty) return { ok: false, problem: inputProblems.HEADER_NOT_CLOSED.reason({ bytes: headBytes }) };
  }
  const names = header ?? [];
  const layoutOf = (field: string): TableLayout => {
    const column = names.indexOf(field);
    const table = { ...dialect, names, columns: names.length, column, ...(above.length > 0 ? { above } : {}) };
    return { ...basis, field, delimited: table };
  };
  if (named !== undefined) return { ok: true, layout: layoutOf(named), isColumnKnown: true };
  return withField(guessColumn(names, rows), layoutOf);
}

function guessColumn(names: readonly string[], rows: readonly string[][]): TextField | undefined {
  const [only] = names;
  if (names.includes('text')) return { ok: true, field: 'text' };
  if (names.length === 1 && only !== undefined) return { ok: true, field: only };
  // Ragged rows say nothing about columns.
  const isTable = rows.some((row) => row.length === names.length);
  return isTable ? chooseTextField(stringColumns(names, rows)) : undefined;
}

/** Reads `sep=;` before the header, as some spreadsheets write it. */
function separatorLine(bytes: Uint8Array): { delimiter: number; text: string } | undefined {
  const [line = ''] = Buffer.from(bytes.subarray(0, 16))
    .toString('latin1')
    .split(/(?<=\n)/);
  const found = /^"?sep=([,;\t|])"?\r?\n$/i.exec(line);
  return found?.[1] === undefined ? undefined : { delimiter: found[1].charCodeAt(0), text: line.trimEnd() };
}
