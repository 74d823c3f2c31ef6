import type { FilePreview } from '../../../api/schema.ts';

/** How a run reads a CSV or TSV file, as reported by the service. */
export type Dialect = NonNullable<FilePreview['dialect']>;

/** A record without its line end; `next` is where the next record begins. */
type DelimitedRecord = {
  start: number;
  end: number;
  next: number;
  cells: string[];
  problem: 'UNCLOSED_QUOTE' | 'BEHIND_QUOTE' | undefined;
  /** Whether a cell that does not begin with a quote contains one. */
  isStray: boolean;
  /** Whether the end of the record was found. */
  isEnded: boolean;
};

/** A row of a table: its cells, or undefined if it can't be read, and its raw text. */
export type DelimitedRow = { cells: readonly string[] | undefined; raw: string };

/**
 * The rows of a delimited text as a run reads them (`partsOfRecords` of the service): a row whose number of cells differs
 * from the header's can't be read, and a lone quote spoils only its own line. A last record that may continue after the
 * text is left out.
 */
export function readDelimitedRows(text: string, isWhole: boolean, dialect: Dialect): DelimitedRow[] {
  const rows: DelimitedRow[] = [];
  let fillers = dialect.above.length + 1;
  for (let at = 0; at < text.length;) {
    const record = readRecord(text, at, text.length, dialect);
    if (!record.isEnded && !isWhole) {
      rows.push(...rowsBeforeCut(text, record, dialect));
      return rows;
    }
    at = record.next;
    if (record.end === record.start) continue;
    if (fillers > 0) {
      fillers -= 1;
      continue;
    }
    if (!isReadable(record, dialect) && isOfLines(text, record, dialect))
      rows.push(...rowsOfLines(text, record, dialect));
    else rows.push(rowOf(text, record, dialect));
  }
  return rows;
}

function readRecord(text: string, start: number, bound: number, dialect: Dialect): DelimitedRecord {
  const { delimiter, lineEnd, endsAtReturns, hasQuotes, hasEscapes } = dialect;
  const otherEnd = endsAtReturns ? '\r' : lineEnd;
  const cells: string[] = [];
  let problem: DelimitedRecord['problem'];
  let isStray = false;
  let at = start;
  for (;;) {
    const from = at;
    const opens = hasQuotes && at < bound && text[at] === '"';
    if (opens) {
      const closing = closingQuote(text, at + 1, bound, hasEscapes);
      if (closing === -1) {
        return { start, end: bound, next: bound, cells, problem: 'UNCLOSED_QUOTE', isStray, isEnded: false };
      }
      at = closing + 1;
    }
    const behind = at;
    while (at < bound && text[at] !== delimiter && text[at] !== lineEnd && text[at] !== otherEnd) at += 1;
    const isLast = at === bound || text[at] === lineEnd || text[at] === otherEnd;
    const end = isLast ? beforeReturns(text, at, behind, bound) : at;
    if (opens && end > behind) problem = 'BEHIND_QUOTE';
    const cell = text.slice(from, end);
    cells.push(opens ? textOfQuoted(cell.slice(1, -1), hasEscapes) : cell);
    isStray ||= hasQuotes && !opens && cell.includes('"');
    if (isLast) return { start, end, cells, problem, isStray, ...behindLineEnd(text, at, bound, lineEnd) };
    at += 1;
  }
}

/** Where the CRs before the LF at `at` begin. */
function beforeReturns(text: string, at: number, from: number, bound: number): number {
  if (at >= bound || text[at] !== '\n') return at;
  let end = at;
  while (end > from && text[end - 1] === '\r') end -= 1;
  return end;
}

/** Where the line end at `at` ends: CR and LF are one, and a CR that is the last character may be the first of both. */
function behindLineEnd(
  text: string,
  at: number,
  bound: number,
  lineEnd: string,
): Pick<DelimitedRecord, 'next' | 'isEnded'> {
  if (at >= bound) return { next: bound, isEnded: false };
  if (text[at] === lineEnd) return { next: at + 1, isEnded: true };
  if (at + 1 === bound) return { next: bound, isEnded: false };
  return { next: text[at + 1] === lineEnd ? at + 2 : at + 1, isEnded: true };
}

function textOfQuoted(inner: string, hasEscapes: boolean): string {
  return hasEscapes
    ? inner.replaceAll(/\\(["\\])|""/g, (_, escaped: string | undefined) => escaped ?? '"')
    : inner.replaceAll('""', '"');
}

/** The quote that closes a cell, skipping doubled and escaped ones, which are content. -1 if there is none. */
function closingQuote(text: string, from: number, bound: number, hasEscapes: boolean): number {
  for (let at = from; ;) {
    const found = text.indexOf('"', at);
    if (found === -1 || found >= bound) return -1;
    if (hasEscapes && /(?<!\\)(?:\\\\)*\\$/.test(text.slice(at, found))) {
      at = found + 1;
      continue;
    }
    if (found + 1 >= bound || text[found + 1] !== '"') return found;
    at = found + 2;
  }
}

function isReadable({ problem, cells }: DelimitedRecord, { columns }: Dialect): boolean {
  return problem === undefined && cells.length === columns.length;
}

function rowOf(text: string, record: DelimitedRecord, dialect: Dialect, isDoubtful = false): DelimitedRow {
  const isRead = isReadable(record, dialect) && !isDoubtful;
  return { cells: isRead ? record.cells : undefined, raw: text.slice(record.start, record.end) };
}

/** Lines between quotes count as rows, not as text with a few delimiters, if so many cells agree with the header. */
const agreeingCells = 4;

/** Whether a malformed record is really several lines, the first with a lone quote. */
function isOfLines(text: string, record: DelimitedRecord, dialect: Dialect): boolean {
  if (record.problem === 'UNCLOSED_QUOTE') return true;
  const lines = linesOf(text, record, dialect);
  const last = lines.at(-1);
  if (record.problem === 'BEHIND_QUOTE' && lines.length > 1 && last?.isStray === false) return true;
  return areRows(lines, dialect);
}

/** Whether the lines between the first and the last one are rows. */
function areRows(lines: readonly DelimitedRecord[], dialect: Dialect): boolean {
  const between = lines.slice(1, -1);
  const isTable = (dialect.columns.length - 1) * between.length >= agreeingCells;
  return isTable && between.every((line) => isReadable(line, dialect) && !line.isStray);
}

function linesOf(text: string, { start, next }: DelimitedRecord, dialect: Dialect): DelimitedRecord[] {
  const lines: DelimitedRecord[] = [];
  for (let at = start; at < next;) {
    const found = text.indexOf(dialect.lineEnd, at);
    const lineNext = found === -1 || found >= next ? next : found + 1;
    const line = readRecord(text, at, lineNext, dialect);
    lines.push({ ...line, end: line.isEnded ? line.end : endOfLine(text, at, lineNext, dialect), next: lineNext });
    at = lineNext;
  }
  return lines;
}

function endOfLine(text: string, start: number, next: number, { lineEnd }: Dialect): number {
  let end = next;
  if (end > start && text[end - 1] === lineEnd) end -= 1;
  if (end < next && end > start && lineEnd === '\n' && text[end - 1] === '\r') end -= 1;
  return end;
}

function rowsOfLines(text: string, record: DelimitedRecord, dialect: Dialect): DelimitedRow[] {
  return linesOf(text, record, dialect)
    .filter(({ start, end }) => end > start)
    .map((line) => rowOf(text, line, dialect, line.isStray && line.start > record.start));
}

/** For a text that ends within quotes: the lines that are rows in any case; the last line may be cut off. */
function rowsBeforeCut(text: string, record: DelimitedRecord, dialect: Dialect): DelimitedRow[] {
  if (record.problem !== 'UNCLOSED_QUOTE') return [];
  if (!areRows(linesOf(text, record, dialect), dialect)) return [];
  const whole = { ...record, next: text.lastIndexOf(dialect.lineEnd) + 1 };
  return rowsOfLines(text, whole, dialect);
}
