import { lineEndsOf, readRecord, type DelimitedDialect } from './delimited.ts';
import type { ReadAt } from './lines.ts';
import { lines, readUnits, type RowScan } from './row-boundaries.ts';

type Range = { from: number; to: number };

/** `columns`: number of cells in the header. */
export type AlignedScan = RowScan & { columns?: number | undefined };

/** Records examined to decide whether a position is inside quotes. */
const recordsLookedAt = 32;
const slackUnits = 64 << 10;
const quotesBefore = 256;
const quote = 0x22;

/**
 * Finds the rows that start in a byte range from the bytes there alone: `findRowStarts` would have to read everything
 * before them. Undefined if no row starts there.
 *
 * Whether the range begins inside quotes is decided by the records after its first line end: under the wrong
 * assumption, they differ from the header in their number of cells, or have quotes within unquoted cells (as in Ge et
 * al., "Speculative Distributed CSV Data Parsing for Big Data Analytics", 2019). Without such evidence, as within one
 * very long cell, the result may be wrong.
 */
export function alignRange(read: ReadAt, scan: AlignedScan, range: Range): Range | undefined {
  const unitBytes = scan.encoding.startsWith('utf-16') ? 2 : 1;
  const units = Math.floor(scan.sizeBytes / unitBytes);
  const from = Math.ceil(range.from / unitBytes);
  const to = Math.min(units, Math.ceil(range.to / unitBytes));
  const maxUnits = Math.ceil(scan.maxRowBytes / unitBytes);
  // At least one unit before the range, which may be a line end.
  const base = Math.max(0, from - unitsBefore(read, from, scan));
  for (let slack = slackUnits; ; slack *= 4) {
    const end = Math.min(units, to + slack);
    const window = readUnits(read, base, end - base, scan.encoding);
    const place = { first: from - base, bound: to - base, isEnd: end === units, isLongest: slack > 2 * maxUnits };
    const found = rowsIn(window, place, scan);
    if (found === 'none') return undefined;
    if (found !== 'longer') return { from: (base + found.from) * unitBytes, to: (base + found.to) * unitBytes };
  }
}

/** How many units before a position to begin: the first one must not be a quote, as two quotes may belong together. */
function unitsBefore(read: ReadAt, from: number, { encoding }: AlignedScan): number {
  const before = readUnits(read, Math.max(0, from - quotesBefore), Math.min(from, quotesBefore), encoding);
  for (let back = 1; back <= before.length; back += 1) if (before[before.length - back] !== quote) return back;
  return 1;
}

/** `first` and `bound`: the range within the window. `isEnd`: the window reaches the end of the file. */
type Place = { first: number; bound: number; isEnd: boolean; isLongest: boolean };

/** The rows that start before `bound` of a window; `longer` if the last one ends beyond the window. */
function rowsIn(window: Uint8Array, place: Place, scan: AlignedScan): Range | 'none' | 'longer' {
  const dialect: DelimitedDialect = scan.dialect ?? lines;
  const start = place.first === 0 ? 0 : firstRow(window, place, dialect, scan);
  if (start === undefined || start >= place.bound) return 'none';
  let at = start;
  while (at < place.bound) {
    const record = readRecord(window, at, window.length, dialect, scan.maxRowBytes);
    if (!record.isEnded && !place.isEnd && !place.isLongest) return 'longer';
    at = record.next;
  }
  return { from: start, to: at };
}

function firstRow(window: Uint8Array, place: Place, dialect: DelimitedDialect, scan: AlignedScan): number | undefined {
  const found = lineEndsOf(dialect).map((byte) => window.indexOf(byte, place.first - 1));
  const lineEnd = Math.min(...found.filter((at) => at !== -1));
  if (lineEnd + 1 >= place.bound) return undefined;
  if (!dialect.quoting) return lineEnd + 1;
  const outside = follow(window, 0, place, { ...scan, dialect });
  const closing = closingQuote(window);
  const inside = closing === -1 ? undefined : follow(window, closing + 1, place, { ...scan, dialect });
  // Records after a wrong guess are often right again, so "inside" must be strictly better.
  const better = inside !== undefined && (outside === undefined || inside.share > outside.share) ? inside : outside;
  return better?.start ?? lineEnd + 1;
}

/**
 * Assuming that a cell ends or continues at `at` outside quotes: the first row of the range, and the share of the next
 * records that are then rows of the table.
 */
function follow(
  window: Uint8Array,
  at: number,
  { first, isEnd }: Place,
  { dialect, columns = 1, maxRowBytes }: Pick<AlignedScan, 'columns' | 'maxRowBytes'> & { dialect: DelimitedDialect },
): { start: number; share: number } | undefined {
  let start: number | undefined;
  let records = 0;
  let agreeing = 0;
  for (let next = at; next < window.length && records < recordsLookedAt;) {
    const isRest = next === at;
    let hasStray = false;
    const record = readRecord(window, next, window.length, dialect, maxRowBytes, (from, to, isQuoted) => {
      // A cell ends at its closing quote.
      const isCell =
        isRest && at > 0 && from === at ? from === to : isQuoted || !window.subarray(from, to).includes(quote);
      hasStray ||= !isCell;
    });
    if (!record.isEnded && !isEnd) break;
    ({ next } = record);
    if (start === undefined && next >= first) start = next;
    if (record.end === record.start && !isRest) continue;
    records += 1;
    const isCells = isRest ? record.cells <= columns : record.cells === columns;
    if (record.problem === undefined && !hasStray && isCells) agreeing += 1;
  }
  return start === undefined ? undefined : { start, share: agreeing / records };
}

/** The first quote that is not doubled; -1 if there is none. */
function closingQuote(window: Uint8Array): number {
  let at = window.indexOf(quote);
  while (at !== -1 && window[at + 1] === quote) at = window.indexOf(quote, at + 2);
  return at;
}
