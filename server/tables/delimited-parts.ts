import { inputProblems, type Reason } from '../kernel/sentences/index.ts';
import {
  behindQuote,
  carriageReturn,
  findByte,
  headerRecords,
  lineFeed,
  quote,
  readRecord,
  unclosedQuote,
  type DelimitedRecord,
  type DelimitedTable,
} from './delimited.ts';

const strayQuote = inputProblems.QUOTE_IN_CELL.reason({});

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
  let fillers = atFileStart ? headerRecords(table) : 0;
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
    const found = findByte(bytes, table.lineEnd, at, next);
    const lineNext = found === -1 ? next : found + 1;
    let isStray = false;
    const line = readRecord(bytes, at, lineNext, table, Number.MAX_SAFE_INTEGER, (from, end, isQuoted) => {
      isStray ||= table.quoting && !isQuoted && findByte(bytes, quote, from, end) !== -1;
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
