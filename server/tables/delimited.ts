import { inputProblems, type Reason } from '../kernel/sentences/index.ts';

export const quote = 0x22;
export const backslash = 0x5c;
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;

/**
 * The dialect of a CSV or TSV file: bytes of its delimiter and its line end (LF, optionally after CRs, or a lone CR).
 */
export type DelimitedDialect = {
  delimiter: number;
  lineEnd: number;
  /** Set if a CR ends a row wherever it stands outside of quotes, beside `lineEnd`. */
  endsAtReturns?: true;
  /** Whether cells are quoted as in RFC 4180; if not, a quote is an ordinary character. */
  quoting: boolean;
  /** Set if a quote within quotes is written `\"` and a backslash `\\`, as Spark does, beside `""`. */
  hasEscapes?: true;
};

/** A delimited table: its dialect, its number of columns and the column that holds the text (-1: no such column). */
export type DelimitedTable = DelimitedDialect & {
  /** Names of the columns; missing in plans of runs that began before names were stored. */
  names?: readonly string[];
  /** Names in the header, if they differ from `names` because some were duplicate or empty. */
  givenNames?: readonly string[];
  columns: number;
  column: number;
  /** Texts of the records above the header that are not part of the table: titles, comments, the line `sep=…`. */
  above?: readonly string[];
  /** In plans that were made before `above`: whether the line `sep=…` precedes the header. */
  separatorLine?: boolean;
};

/** Number of records, blank lines not counted, up to and including the header. */
export function headerRecords({ above, separatorLine }: Pick<DelimitedTable, 'above' | 'separatorLine'>): number {
  return (above?.length ?? (separatorLine === true ? 1 : 0)) + 1;
}

/** The bytes each of which ends a line; JSON has LF. */
export function lineEndsOf(dialect: DelimitedDialect | undefined): readonly number[] {
  const lineEnd = dialect?.lineEnd ?? lineFeed;
  return dialect?.endsAtReturns === true ? [lineEnd, carriageReturn] : [lineEnd];
}

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
/** The problem of a record with text behind a closing quote. */
export const behindQuote = inputProblems.CELL_BEHIND_QUOTE.reason({});

/**
 * Reads the record that starts at `start`, up to `bound`. A record ends at a line end outside of quotes, and in any
 * case at the first line end after `maxBytes`, so that a lone quote can't swallow the rest of a file. A cell that
 * continues after its closing quote extends to the next delimiter.
 */
export function readRecord(
  bytes: Uint8Array,
  start: number,
  bound: number,
  { delimiter, lineEnd, endsAtReturns, quoting, hasEscapes, column = -1 }: DelimitedDialect & { column?: number },
  maxBytes: number,
  onCell?: (start: number, end: number, isQuoted: boolean) => void,
): DelimitedRecord {
  let problem: Reason | undefined;
  let cells = 0;
  let cellStart = -1;
  let cellEnd = -1;
  let isQuoted = false;
  let at = start;
  const otherEnd = endsAtReturns === true ? carriageReturn : lineEnd;
  const escape = hasEscapes === true ? backslash : -1;
  for (;;) {
    const from = at;
    const opens = quoting && at < bound && bytes[at] === quote;
    if (opens) {
      const closing = closingQuote(bytes, at + 1, bound, escape);
      const last = closing === -1 ? bound : closing;
      if (last - start > maxBytes) {
        const forced = findByte(bytes, lineEnd, start + maxBytes, last);
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
    at = endOfCell(bytes, at, bound, { delimiter, lineEnd, otherEnd });
    const isLast = at === bound || bytes[at] === lineEnd || bytes[at] === otherEnd;
    const end = isLast ? beforeReturns(bytes, at, behind, lineEnd, bound) : at;
    if (opens && end > behind) problem = behindQuote;
    if (cells === column) {
      cellStart = from;
      cellEnd = end;
      isQuoted = opens;
    }
    onCell?.(from, end, opens);
    cells += 1;
    if (isLast) {
      const { next, isEnded } = behindLineEnd(bytes, at, bound, lineEnd);
      return { start, end, next, cells, cellStart, cellEnd, isQuoted, problem, isEnded };
    }
    at += 1;
  }
}

function ended(
  bytes: Uint8Array,
  found: { start: number; at: number; lineEnd: number; cells: number; problem: Reason },
): DelimitedRecord {
  const { start, at, lineEnd, cells, problem } = found;
  const end = beforeReturns(bytes, at, start, lineEnd, at + 1);
  return { start, end, next: at + 1, cells, cellStart: -1, cellEnd: -1, isQuoted: false, problem, isEnded: true };
}

/** Where the CRs before the line end at `at` begin: writers that translate line ends twice write several. */
function beforeReturns(bytes: Uint8Array, at: number, from: number, lineEnd: number, bound: number): number {
  if (lineEnd !== lineFeed || at >= bound || bytes[at] !== lineFeed) return at;
  let end = at;
  while (end > from && bytes[end - 1] === carriageReturn) end -= 1;
  return end;
}

/** Where the line end at `at` ends: CR and LF are one, and a CR that is the last byte may be the first of both. */
function behindLineEnd(
  bytes: Uint8Array,
  at: number,
  bound: number,
  lineEnd: number,
): Pick<DelimitedRecord, 'next' | 'isEnded'> {
  if (at >= bound) return { next: bound, isEnded: false };
  if (bytes[at] === lineEnd) return { next: at + 1, isEnded: true };
  return at + 1 === bound
    ? { next: bound, isEnded: false }
    : { next: bytes[at + 1] === lineEnd ? at + 2 : at + 1, isEnded: true };
}

/**
 * The closing quote of a cell whose content starts at `at`; doubled quotes, and bytes behind the `escape` byte, are
 * content. -1 if there is none.
 */
function closingQuote(bytes: Uint8Array, at: number, bound: number, escape: number): number {
  let from = at;
  for (;;) {
    const found = findByte(bytes, quote, from, bound);
    if (found === -1) return -1;
    if (escape !== -1 && isEscaped(bytes, found, from, escape)) {
      from = found + 1;
      continue;
    }
    if (found + 1 >= bound || bytes[found + 1] !== quote) return found;
    from = found + 2;
  }
}

/** Whether an odd number of escape bytes stands before `at`, from `from` on. */
function isEscaped(bytes: Uint8Array, at: number, from: number, escape: number): boolean {
  let before = at;
  while (before > from && bytes[before - 1] === escape) before -= 1;
  return (at - before) % 2 === 1;
}

/** Distance that is searched byte by byte: a native call costs as much as about 60 bytes. */
const nearBytes = 64;

/** The first `byte` from `from` on, before `bound`; -1 if there is none. */
export function findByte(bytes: Uint8Array, byte: number, from: number, bound: number): number {
  const near = Math.min(bound, from + nearBytes);
  for (let at = from; at < near; at += 1) if (bytes[at] === byte) return at;
  if (near >= bound) return -1;
  const found = bytes.indexOf(byte, near);
  return found === -1 || found >= bound ? -1 : found;
}

function endOfCell(
  bytes: Uint8Array,
  from: number,
  bound: number,
  { delimiter, lineEnd, otherEnd }: { delimiter: number; lineEnd: number; otherEnd: number },
): number {
  let at = from;
  while (at < bound) {
    const byte = bytes[at];
    if (byte === delimiter || byte === lineEnd || byte === otherEnd) break;
    at += 1;
  }
  return at;
}
