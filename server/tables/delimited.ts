import { inputProblems, type Reason } from '../kernel/sentences/index.ts';

export const quote = 0x22;
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;

/**
 * The dialect of a CSV or TSV file: bytes of its delimiter and its line end (LF, optionally after a CR, or a lone CR).
 */
export type DelimitedDialect = {
  delimiter: number;
  lineEnd: number;
  /** Whether cells are quoted as in RFC 4180; if not, a quote is an ordinary character. */
  quoting: boolean;
};

/** A delimited table: its dialect, its number of columns and the column that holds the text (-1: no such column). */
export type DelimitedTable = DelimitedDialect & {
  /** Names of the columns; missing in plans of runs that began before names were stored. */
  names?: readonly string[];
  /** Names in the header, if they differ from `names` because some were duplicate or empty. */
  givenNames?: readonly string[];
  columns: number;
  column: number;
  /** Set if the line `sep=…` precedes the header, as some spreadsheets write it. */
  separatorLine: boolean;
};

/** One record: `[start, end)` without its line end, `[start, next)` with it. */
export type DelimitedRecord = {
  start: number;
  end: number;
  next: number;
  cells: number;
  /** Range of the requested cell, quotes included; -1 if it does not exist. */
  cellStart: number;
  cellEnd: number;
  isQuoted: boolean;
  /** What is wrong with its quotes. */
  problem: Reason | undefined;
  /** Whether its end was found; otherwise it continues beyond `bound`. */
  isEnded: boolean;
};

/** The problem of a record whose quote is never closed. */
export const unclosedQuote = inputProblems.QUOTE_NEVER_CLOSED.reason({});
const behindQuote = inputProblems.CELL_BEHIND_QUOTE.reason({});
const strayQuote = inputProblems.QUOTE_IN_CELL.reason({});

/**
 * Reads the record that starts at `start`, up to `bound`. A record ends at a line end outside of quotes, and in any
 * case at the first line end after `maxBytes`, so that a lone quote can't swallow the rest of a file. A cell that
 * continues after its closing quote extends to the next delimiter.
 */
export function readRecord(
  bytes: Uint8Array,
  start: number,
  bound: number,
  { delimiter, lineEnd, quoting, column = -1 }: DelimitedDialect & { column?: number },
  maxBytes: number,
  onCell?: (start: number, end: number, isQuoted: boolean) => void,
): DelimitedRecord {
  let problem: Reason | undefined;
  let cells = 0;
  let cellStart = -1;
  let cellEnd = -1;
  let isQuoted = false;
  let at = start;
  for (;;) {
    const from = at;
    const opens = quoting && at < bound && bytes[at] === quote;
    if (opens) {
      const closing = closingQuote(bytes, at + 1, bound);
      const last = closing === -1 ? bound : closing;
      if (last - start > maxBytes) {
        const forced = indexOf(bytes, lineEnd, start + maxBytes, last);
        if (forced !== -1) {
          return ended(bytes, { start, at: forced, lineEnd, cells: cells + 1, problem: unclosedQuote });
        }
      }
      if (closing === -1) {
        const open = { start, end: bound, next: bound, cells: cells + 1, cellStart: -1, cellEnd: -1, isQuoted: false };
        return { ...open, problem: unclosedQuote, isEnded: false };
      }
      at = closing + 1;
    }
    const behind = at;
    at = endOfCell(bytes, at, bound, delimiter, lineEnd);
    const isLast = at === bound || bytes[at] === lineEnd;
    const end = isLast && isCrLf(bytes, at, behind, lineEnd, bound) ? at - 1 : at;
    if (opens && end > behind) problem = behindQuote;
    if (cells === column) {
      cellStart = from;
      cellEnd = end;
      isQuoted = opens;
    }
    onCell?.(from, end, opens);
    cells += 1;
    if (isLast) {
      const isEnded = at < bound;
      return { start, end, next: isEnded ? at + 1 : bound, cells, cellStart, cellEnd, isQuoted, problem, isEnded };
    }
    at += 1;
  }
}

function ended(
  bytes: Uint8Array,
  found: { start: number; at: number; lineEnd: number; cells: number; problem: Reason },
): DelimitedRecord {
  const { start, at, lineEnd, cells, problem } = found;
  const end = isCrLf(bytes, at, start, lineEnd, at + 1) ? at - 1 : at;
  return { start, end, next: at + 1, cells, cellStart: -1, cellEnd: -1, isQuoted: false, problem, isEnded: true };
}

function isCrLf(bytes: Uint8Array, at: number, from: number, lineEnd: number, bound: number): boolean {
  return lineEnd === lineFeed && at < bound && at > from && bytes[at - 1] === carriageReturn;
}

/** The closing quote of a cell whose content starts at `at`; doubled quotes are content. -1 if there is none. */
function closingQuote(bytes: Uint8Array, at: number, bound: number): number {
  let from = at;
  for (;;) {
    const found = indexOf(bytes, quote, from, bound);
    if (found === -1) return -1;
    if (found + 1 >= bound || bytes[found + 1] !== quote) return found;
    from = found + 2;
  }
}

/** Distance that is searched byte by byte: a native call costs as much as about 60 bytes. */
const nearBytes = 64;

function indexOf(bytes: Uint8Array, byte: number, from: number, bound: number): number {
  const near = Math.min(bound, from + nearBytes);
  for (let at = from; at < near; at += 1) if (bytes[at] === byte) return at;
  if (near >= bound) return -1;
  const found = bytes.indexOf(byte, near);
  return found === -1 || found >= bound ? -1 : found;
}

function endOfCell(bytes: Uint8Array, from: number, bound: number, delimiter: number, lineEnd: number): number {
  let at = from;
  while (at < bound) {
    const byte = bytes[at];
    if (byte === delimiter || byte === lineEnd) break;
    at += 1;
  }
  return at;
}

/** A part of a delimited file: a row, an unreadable row, or bytes between rows (header, empty lines). */
export type DelimitedPart = DelimitedRecord & { kind: 'row' | 'filler' };

/**
 * Splits whole records into rows. A malformed record (wrong number of cells, a cell that continues after its closing
 * quote, an unclosed quote) is one row with a `problem`, which can't be read. If such a record has several lines and
 * its quote seems to be a stray one, each line is read as a row of its own, so that the quote costs only its own line
 * instead of everything up to the next quote. `isCut`: the last record continues beyond the bytes and exceeds the
 * limit.
 */
export function* partsOfRecords(
  bytes: Uint8Array,
  table: DelimitedTable,
  {
    from,
    atFileStart,
    maxRowBytes,
    isCut,
  }: { from: number; atFileStart: boolean; maxRowBytes: number; isCut: boolean },
): Generator<DelimitedPart> {
  let fillers = atFileStart ? (table.separatorLine ? 2 : 1) : 0;
  for (let at = from; at < bytes.length;) {
    const record = readRecord(bytes, at, bytes.length, table, maxRowBytes);
    at = record.next;
    if (record.end === record.start) {
      yield { ...record, kind: 'filler' };
    } else if (fillers > 0) {
      fillers -= 1;
      yield { ...record, kind: 'filler' };
    } else {
      const lengthBytes = isCut && at === bytes.length ? Number.POSITIVE_INFINITY : record.next - record.start;
      const problem = problemOf(record, lengthBytes, table, maxRowBytes);
      if (problem !== undefined && (lengthBytes > maxRowBytes || isOfLines(bytes, record, table, maxRowBytes))) {
        yield* linesOf(bytes, record, table, maxRowBytes);
      } else yield { ...record, kind: 'row', problem };
    }
  }
}

/**
 * Minimum number of matching cells for quoted lines to count as rows, rather than as text that contains a few
 * delimiters.
 */
const agreeingCells = 4;

/**
 * Whether a malformed record is really several lines, the first of which has a stray quote: the quote is never closed,
 * or the quote that closes it begins a cell of the last line, or the lines between are rows of the table.
 */
function isOfLines(bytes: Uint8Array, record: DelimitedRecord, table: DelimitedTable, maxRowBytes: number): boolean {
  if (record.problem === unclosedQuote) return true;
  let number = 0;
  let agreeing = 0;
  let areRows = true;
  let closesAtStart = false;
  for (const { line, lengthBytes, isStray } of readLines(bytes, record, table)) {
    // Now the previous line is known not to be the last.
    if (number > 1) areRows &&= agreeing === number - 1;
    if (problemOf(line, lengthBytes, table, maxRowBytes) === undefined && !isStray) agreeing += 1;
    closesAtStart = number > 0 && !isStray;
    number += 1;
  }
  if (record.problem === behindQuote && closesAtStart) return true;
  return areRows && (table.columns - 1) * (number - 2) >= agreeingCells;
}

type ReadLine = { line: DelimitedRecord; lengthBytes: number; isStray: boolean };

/** Reads each line as a record; `isStray`: a cell contains a quote without beginning with one. */
function* readLines(bytes: Uint8Array, { start, next }: DelimitedRecord, table: DelimitedTable): Generator<ReadLine> {
  for (let at = start; at < next;) {
    const found = indexOf(bytes, table.lineEnd, at, next);
    const lineNext = found === -1 ? next : found + 1;
    let isStray = false;
    const line = readRecord(bytes, at, lineNext, table, Number.MAX_SAFE_INTEGER, (from, end, isQuoted) => {
      isStray ||= table.quoting && !isQuoted && indexOf(bytes, quote, from, end) !== -1;
    });
    // Here an open quote ends with its line, before the line end.
    const end = line.isEnded ? line.end : endOfLine(bytes, at, lineNext, table.lineEnd);
    yield { line: { ...line, end, next: lineNext }, lengthBytes: lineNext - at, isStray };
    at = lineNext;
  }
}

function* linesOf(
  bytes: Uint8Array,
  record: DelimitedRecord,
  table: DelimitedTable,
  maxRowBytes: number,
): Generator<DelimitedPart> {
  for (const { line, lengthBytes, isStray } of readLines(bytes, record, table)) {
    const kind = line.end === line.start ? 'filler' : 'row';
    // A quote within the last line may be the one that closes the first line's quote.
    const stray = isStray && line.start > record.start ? strayQuote : undefined;
    yield { ...line, kind, problem: problemOf(line, lengthBytes, table, maxRowBytes) ?? stray };
  }
}

function problemOf(
  line: DelimitedRecord,
  lengthBytes: number,
  { columns }: DelimitedTable,
  maxRowBytes: number,
): Reason | undefined {
  if (lengthBytes > maxRowBytes) return inputProblems.ROW_TOO_LONG.reason({ bytes: lengthBytes, limit: maxRowBytes });
  if (line.problem !== undefined) return line.problem;
  return line.cells === columns ? undefined : inputProblems.ROW_CELLS.reason({ cells: line.cells, columns });
}

function endOfLine(bytes: Uint8Array, start: number, next: number, lineEnd: number): number {
  let end = next;
  if (end > start && bytes[end - 1] === lineEnd) end -= 1;
  if (end < next && end > start && lineEnd === lineFeed && bytes[end - 1] === carriageReturn) end -= 1;
  return end;
}
