import { isAscii, isUtf8 } from 'node:buffer';
import {
  cellText,
  holdsStructure,
  partsOfRecords,
  recordValues,
  replaceCells,
  unclosedQuote,
  writeCell,
  type DelimitedPart,
  type DelimitedTable,
} from './delimited.ts';
import {
  changeCells,
  changedColumns,
  headerColumns,
  refuseColumns,
  type DelimitedColumn,
} from './delimited-columns.ts';
import { encodeText, findUnencodable } from './encoder.ts';
import { decodeStrictly, looksUtf8, type Encoding } from './encodings.ts';
import { describeNoText, showPath } from './field-paths.ts';
import { findOverlap, replaceValues, type ValueChange } from './json-values.ts';
import {
  openSplice,
  parseNumbersOf,
  parseRow,
  parseRowExactly,
  partsOf,
  type JsonlPart,
  type JsonObject,
} from './jsonl.ts';
import type { LineBlock } from './lines.ts';
import type { TableLayout } from './table-layout.ts';
import { transcodeLines, type TranscodedLines } from './transcoding.ts';

/** A part of a table: a row (`[start, end)` without its line end), or bytes between rows (header, blank lines). */
export type RowPart = { kind: 'row' | 'filler'; start: number; end: number; next: number };

/** Text of a row; or why there is none, and whether the row itself is unreadable. */
export type RowText = { text: string } | RowProblem;

export type RowProblem = { problem: string; isUnread: boolean };

/** The rows of a block of a table, with the bytes between them. */
export type TableRows = {
  /** End of the last part. */
  readonly length: number;
  /** The file's own bytes from the start of one part to the start of another, or to the end. */
  source(start: number, end: number): Uint8Array;
  /** The bytes of the row without its line end, in readable form. */
  show(part: RowPart): string;
  parts(): Iterable<RowPart>;
  /** Reads the last part that `parts` returned. */
  read(part: RowPart): RowText;
  /** Like `read`, but prepares only the values; returns why the row can't be read. */
  open(part: RowPart): RowProblem | undefined;
  /** Why the file can't hold the texts; undefined if it can hold any text. */
  refuse?: (texts: readonly string[]) => string | undefined;
  /** The last part as a row of the file with `text`, which was not refused; valid until the next call. */
  splice(part: RowPart, text: string): Uint8Array;
  /** The row's line end in the file; empty if its last line has none. */
  lineEnd(part: RowPart): Uint8Array;
  /** All columns of the last row read: JSON values, or texts of its cells. */
  values(part: RowPart): Readonly<Record<string, unknown>>;
  /** The same; JSON numbers that a double does not hold keep their digits (`ExactNumber`). */
  exactValues(part: RowPart): Readonly<Record<string, unknown>>;
  /** The same, with NaN and infinities, as conditions compare them. */
  comparedValues(part: RowPart): Readonly<Record<string, unknown>>;
  /** Whether values are cells: texts without types. */
  hasCells: boolean;
  /** Why the file can't hold other values in the last row read. */
  refuseValues(changes: readonly ValueChange[]): string | undefined;
  /**
   * The last row read with other values, which were not refused. One of a delimited table then has the columns of
   * `changedColumns`.
   */
  replace(part: RowPart, changes: readonly ValueChange[]): Uint8Array;
  /** Position and length of the row in the file; includes the line end if the row is only partly in memory. */
  placeOf(part: RowPart): { start: number; lengthBytes: number };
  /** Whether all bytes of the row are in memory: of a row over the limit, only the beginning may be. */
  isHeld(part: RowPart): boolean;
  /** Number of line ends in the part; reads the file if the row is only partly in memory. */
  lineEnds(part: RowPart): number;
  /** Whether the file ends with the row, without a line end. */
  endsFile(part: RowPart): boolean;
  /** Whether the unchanged row can be written between others in such a file without merging with them. */
  standsAlone(part: RowPart): boolean;
};

/** Opens whole rows of a table read from its file; a row over `maxRowBytes` is unreadable. */
export function openRows(block: LineBlock, layout: TableLayout, maxRowBytes: number): TableRows {
  const { encoding, delimited } = layout;
  // In all encodings but UTF-16, structural characters are ASCII bytes that are part of no other character.
  if (delimited !== undefined && !encoding.startsWith('utf-16')) {
    return delimitedRows(block, layout, delimited, maxRowBytes);
  }
  const markBytes = block.start === 0 ? Math.min(layout.markBytes, block.bytes.length) : 0;
  if (encoding === 'utf-8') {
    const tooLong = longLineOf(block, { from: markBytes, to: markBytes }, (start) => start);
    return jsonRows({ ...block, tooLong }, layout, maxRowBytes);
  }
  const lines = transcodeLines(block.bytes, encoding, delimited?.lineEnd ?? 0x0a);
  const mark = { from: markBytes, to: markBytes > 0 ? utf8MarkBytes : 0 };
  const transcoded: LineBlock = { ...block, bytes: lines.bytes, tooLong: longLineOf(block, mark, lines.targetOf) };
  const inUtf8 = { ...layout, encoding: 'utf-8' as const, markBytes: mark.to };
  const rows =
    delimited === undefined
      ? jsonRows(transcoded, inUtf8, maxRowBytes)
      : delimitedRows(transcoded, inUtf8, delimited, maxRowBytes);
  return fromOtherEncoding(rows, lines, { block, mark, encoding });
}

const utf8MarkBytes = 3;

/** Length of the byte order mark in the file, and of the same mark in UTF-8; 0 without one. */
type MarkLengths = { from: number; to: number };

/** The line over the limit in UTF-8; the mark before the first line is no part of it. */
function longLineOf(
  { tooLong }: LineBlock,
  mark: MarkLengths,
  targetOf: TranscodedLines['targetOf'],
): LineBlock['tooLong'] {
  if (tooLong === undefined) return undefined;
  if (tooLong.start > 0) return { ...tooLong, start: targetOf(tooLong.start) };
  return { start: mark.to, lengthBytes: tooLong.lengthBytes - mark.from };
}

/** Rows that are read as UTF-8 and written in the file's encoding; lines that can't be decoded are unreadable rows. */
function fromOtherEncoding(
  rows: TableRows,
  lines: TranscodedLines,
  { block, mark, encoding }: { block: LineBlock; mark: MarkLengths; encoding: Encoding },
): TableRows {
  // The byte order mark is a part of its own, in the first line.
  const isDamaged = ({ start, next }: RowPart): boolean => holdsAny(lines.damaged, start === mark.to ? 0 : start, next);
  const placeIn = (at: number): number => (at === mark.to && at > 0 ? mark.from : lines.sourceOf(at));
  const written = (bytes: Uint8Array): Uint8Array => {
    const encoded = encodeText(textOf(bytes), encoding);
    if (encoded === undefined) throw new Error(`A row that was not refused can't be written in ${encoding}`);
    return encoded;
  };
  let current: RowPart | undefined;

  /** UTF-16 can represent any text, in only one way. */
  function refuseEncoding(texts: readonly string[]): string | undefined {
    if (encoding.startsWith('utf-16') || current === undefined) return undefined;
    const { start, next } = current;
    const source = block.bytes.subarray(placeIn(start), placeIn(next));
    const again = encodeText(new TextDecoder(encoding).decode(source), encoding);
    if (again === undefined || Buffer.compare(again, source) !== 0) {
      return `the row holds bytes that stand for the same characters as others in ${encoding.toUpperCase()}, and can't be written anew; convert the file to UTF-8`;
    }
    return refuseCharacters(texts, encoding);
  }

  return {
    ...rows,
    source: (start, end) => block.bytes.subarray(placeIn(start), placeIn(end)),
    read(part) {
      if (isDamaged(part)) return { problem: notValid('line', encoding), isUnread: true };
      current = part;
      return rows.read(part);
    },
    open(part) {
      if (isDamaged(part)) return { problem: notValid('line', encoding), isUnread: true };
      current = part;
      return rows.open(part);
    },
    refuse: (texts) => rows.refuse?.(texts) ?? refuseEncoding(texts),
    splice: (part, text) => written(rows.splice(part, text)),
    refuseValues: (changes) => rows.refuseValues(changes) ?? refuseEncoding([JSON.stringify(changes)]),
    replace: (part, changes) => written(rows.replace(part, changes)),
    lineEnd: (part) => written(rows.lineEnd(part)),
    standsAlone: (part) => !isDamaged(part) && rows.standsAlone(part),
    placeOf(part) {
      const start = placeIn(part.start);
      const lineEndBytes = (part.next - part.end) * (encoding.startsWith('utf-16') ? 2 : 1);
      const { lengthBytes } = rows.placeOf(part);
      const length = rows.isHeld(part) ? lines.sourceOf(part.next) - lineEndBytes - start : lengthBytes;
      return { start: block.start + start, lengthBytes: length };
    },
  };
}

function notValid(what: 'row' | 'line', encoding: Encoding): string {
  return `INVALID_ENCODING: the ${what} is not valid ${encoding.toUpperCase()}`;
}

function refuseCharacters(texts: readonly string[], encoding: Encoding): string | undefined {
  for (const text of texts) {
    const missing = findUnencodable(text, encoding);
    if (missing === undefined) continue;
    const point = (missing.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `the file is in ${encoding.toUpperCase()}, which has no ${missing.toWellFormed()} (U+${point}) of the new text; convert it to UTF-8`;
  }
  return undefined;
}

function refuseStructure(texts: readonly string[], table: DelimitedTable): string | undefined {
  if (table.quoting) return undefined;
  const isHeld = texts.every((text) => !holdsStructure(text, table));
  return isHeld ? undefined : 'the file knows no quotes, and the new text holds a delimiter or a line end';
}

/** Whether one of the sorted positions is in `[start, next)`. */
function holdsAny(positions: readonly number[], start: number, next: number): boolean {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low < positions.length && (positions[low] ?? next) < next;
}

function jsonRows(block: LineBlock, { field, isArray }: TableLayout, maxRowBytes: number): TableRows {
  const what = isArray === true ? 'element' : 'line';
  const { bytes, tooLong } = block;
  let current: JsonObject = {};
  let opened: RowPart | undefined;
  const lengthOf = (part: JsonlPart): number =>
    tooLong !== undefined && part.start === tooLong.start ? tooLong.lengthBytes : part.next - part.start;
  function open(part: RowPart): RowProblem | undefined {
    const lengthBytes = lengthOf(part);
    if (lengthBytes > maxRowBytes) {
      return { problem: `the ${what} of ${lengthBytes} bytes is over the limit of ${maxRowBytes}`, isUnread: true };
    }
    if (opened === part) return undefined;
    const parsed = parseRow(bytes.subarray(part.start, part.end), what);
    if (!parsed.ok) return { problem: parsed.reason, isUnread: true };
    current = parsed.row;
    opened = part;
    return undefined;
  }

  let exact: { part: RowPart; row: JsonObject } | undefined;
  function exactRow(part: RowPart): JsonObject {
    if (exact?.part === part) return exact.row;
    const parsed = parseRowExactly(bytes.subarray(part.start, part.end));
    if (!parsed.ok) throw new Error(parsed.reason);
    exact = { part, row: parsed.row };
    return parsed.row;
  }

  let spliced: { part: RowPart; write: ReturnType<typeof openSplice> } | undefined;
  const isHeld = ({ start }: RowPart): boolean => start !== tooLong?.start;
  return {
    length: bytes.length,
    source: (start, end) => bytes.subarray(start, end),
    show: ({ start, end }) => textOf(bytes.subarray(start, end)),
    parts: () => (tooLong === undefined ? partsOf(bytes, block.start === 0) : partsWithLong(block)),
    open,
    read(part) {
      const unread = open(part);
      if (unread !== undefined) return unread;
      const text = Object.hasOwn(current, field) ? current[field] : undefined;
      if (typeof text === 'string') return { text };
      if (text === undefined) return { problem: `${JSON.stringify(field)} is missing`, isUnread: false };
      return { problem: describeNoText(field, text, showPath([field])), isUnread: false };
    },
    splice(part, text) {
      if (spliced?.part !== part) spliced = { part, write: openSplice(bytes.subarray(part.start, part.end), field) };
      return spliced.write(text);
    },
    lineEnd: ({ end, next }) => bytes.subarray(end, next),
    values: () => current,
    exactValues: exactRow,
    comparedValues: ({ start, end }) => parseNumbersOf(textOf(bytes.subarray(start, end))),
    hasCells: false,
    refuseValues: (changes) => overlapOf(changes),
    replace: (part, changes) => replaceValues(bytes.subarray(part.start, part.end), changes),
    placeOf: (part) => ({
      start: block.start + part.start,
      lengthBytes: isHeld(part) ? part.end - part.start : lengthOf(part),
    }),
    isHeld,
    lineEnds: (part) => (part.next > part.end || !isHeld(part) ? 1 : 0),
    endsFile: (part) => part.next === bytes.length && part.next === part.end,
    standsAlone: () => true,
  };
}

function overlapOf(changes: readonly ValueChange[]): string | undefined {
  // A member that is renamed may have another value, too.
  const written = changes.filter((change) => 'value' in change || 'items' in change);
  const overlap = findOverlap(written.map(({ path }) => path));
  if (overlap === undefined) return undefined;
  const [outer, inner] = overlap.map((path) => JSON.stringify(path.join('.')));
  return outer === inner ? `${outer} is written twice` : `${outer} and ${inner} within it are both written`;
}

/** A line over the limit is a row, however much of it is in memory. */
function* partsWithLong({ bytes, start, tooLong }: LineBlock): Generator<RowPart> {
  for (const part of partsOf(bytes, start === 0)) {
    yield part.start === tooLong?.start && part.next > part.start ? { ...part, kind: 'row' } : part;
  }
}

/** A value as the text of a cell: empty for null, JSON for non-text values. */
function cellOf(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The new texts of cells by the names of their columns. */
function cellsOf(changes: readonly ValueChange[]): Map<string, string> {
  return new Map(
    changes.flatMap((change) => ('value' in change ? [[String(change.path[0]), cellOf(change.value)] as const] : [])),
  );
}

function delimitedRows(
  block: LineBlock,
  { field, markBytes, encoding, certainty }: TableLayout,
  table: DelimitedTable,
  maxRowBytes: number,
): TableRows {
  const { bytes, tooLong } = block;
  const atFileStart = block.start === 0;
  const from = atFileStart ? Math.min(markBytes, bytes.length) : 0;
  const isUnicode = encoding === 'utf-8';
  // One check of all bytes saves a check per row.
  const isAllValid = isUnicode ? isUtf8(bytes) : isAscii(bytes);
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  let current: DelimitedPart | undefined;
  const lengthOf = (part: RowPart): number =>
    tooLong !== undefined && part.start === tooLong.start ? tooLong.lengthBytes : part.next - part.start;

  const isHeld = ({ start }: RowPart): boolean => start !== tooLong?.start;

  function* parts(): Generator<RowPart> {
    if (from > 0) yield { kind: 'filler', start: 0, end: from, next: from };
    for (current of partsOfRecords(bytes, table, { from, atFileStart, maxRowBytes, isCut: tooLong !== undefined }))
      yield current;
  }

  function problemOf(row: Uint8Array): string | undefined {
    if (isUnicode) return isUtf8(row) ? undefined : notValid('row', encoding);
    if (isAscii(row)) return undefined;
    if (decodeStrictly(encoding, row, false) === undefined) return notValid('row', encoding);
    return certainty !== 'GIVEN' && looksUtf8(row)
      ? `INVALID_ENCODING: the file was taken for ${encoding.toUpperCase()}, and this row is UTF-8; set input.encoding`
      : undefined;
  }

  const header = headerColumns(table);

  function cellBytes(text: string, wasQuoted: boolean, inTable = table): Uint8Array {
    const cell = encodeText(writeCell(text.toWellFormed(), wasQuoted, inTable), encoding);
    if (cell === undefined) throw new Error(`A text that was not refused can't be written in ${encoding}`);
    return cell;
  }

  function open(part: RowPart): RowProblem | undefined {
    const lengthBytes = lengthOf(part);
    if (lengthBytes > maxRowBytes) {
      return { problem: `the row of ${lengthBytes} bytes is over the limit of ${maxRowBytes}`, isUnread: true };
    }
    if (current?.problem !== undefined) return { problem: current.problem, isUnread: true };
    const invalid = isAllValid ? undefined : problemOf(bytes.subarray(part.start, part.end));
    if (invalid !== undefined) return { problem: invalid, isUnread: true };
    return undefined;
  }

  return {
    length: bytes.length,
    source: (start, end) => bytes.subarray(start, end),
    show: ({ start, end }) =>
      isUnicode ? textOf(bytes.subarray(start, end)) : decoder.decode(bytes.subarray(start, end)),
    ...(table.quoting && isUnicode
      ? {}
      : { refuse: (texts: readonly string[]) => refuseStructure(texts, table) ?? refuseCharacters(texts, encoding) }),
    parts,
    open,
    read(part) {
      const unread = open(part);
      if (unread !== undefined) return unread;
      if (current === undefined || current.cellStart === -1) {
        return { problem: `${JSON.stringify(field)} is no column of the header`, isUnread: false };
      }
      const { cellStart, cellEnd, isQuoted } = current;
      return { text: cellText(bytes, cellStart, cellEnd, isQuoted, isUnicode ? undefined : decoder) };
    },
    splice(part, text) {
      if (current === undefined) throw new Error('There is no row');
      const { cellStart, cellEnd, isQuoted } = current;
      const cell = cellBytes(text, isQuoted);
      return Buffer.concat([bytes.subarray(part.start, cellStart), cell, bytes.subarray(cellEnd, part.end)]);
    },
    lineEnd: ({ end, next }) => bytes.subarray(end, next),
    values: (part) => recordValues(bytes, part, table, isUnicode ? undefined : decoder),
    exactValues: (part) => recordValues(bytes, part, table, isUnicode ? undefined : decoder),
    comparedValues: (part) => recordValues(bytes, part, table, isUnicode ? undefined : decoder),
    hasCells: true,
    refuseValues(changes) {
      const refused = refuseColumns(changes, header) ?? overlapOf(changes);
      if (refused !== undefined) return refused;
      const added = changedColumns(changes, header).filter((column) => header[column.from ?? -1]?.name !== column.name);
      const texts = [...added.map(({ name }) => name), ...cellsOf(changes).values()];
      return refuseStructure(texts, table) ?? (isUnicode ? undefined : refuseCharacters(texts, encoding));
    },
    replace: (part, changes) => {
      const texts = cellsOf(changes);
      const columns = changedColumns(changes, header);
      if (columns !== header) {
        const sizes = { ...table, columns: columns.length };
        const cell = ({ from: column, name }: DelimitedColumn, wasQuoted: boolean): Uint8Array | undefined => {
          const text = texts.get(header[column ?? -1]?.name ?? name);
          return text === undefined ? undefined : cellBytes(text, wasQuoted, sizes);
        };
        return changeCells(bytes, part, table, { columns, cellOf: cell });
      }
      return replaceCells(bytes, part, table, (column, isQuoted) => {
        const name = table.names?.[column];
        // Of columns with the same name, the first is read and written.
        const text = name === undefined || table.names?.indexOf(name) !== column ? undefined : texts.get(name);
        return text === undefined ? undefined : cellBytes(text, isQuoted);
      });
    },
    placeOf: (part) => ({
      start: block.start + part.start,
      lengthBytes: isHeld(part) ? part.end - part.start : lengthOf(part),
    }),
    isHeld,
    lineEnds: ({ start, end, next }) => (next > end ? 1 : 0) + countBytes(bytes, table.lineEnd, start, end),
    endsFile: (part) => part.next === bytes.length && part.next === part.end,
    // An unclosed quote would swallow the following rows.
    standsAlone: () => current?.problem !== unclosedQuote,
  };
}

function countBytes(bytes: Uint8Array, byte: number, start: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte, start); at !== -1 && at < end; at = bytes.indexOf(byte, at + 1)) count += 1;
  return count;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
