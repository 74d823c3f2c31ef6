import { backslash, carriageReturn, lineFeed, quote, readRecord, type DelimitedDialect } from './delimited.ts';
import type { Encoding } from '../encodings/encodings.ts';
import type { FileHead } from '../encodings/encoding-detection.ts';
import { cellsOf } from './delimited-cells.ts';
import { areNames, findHeader, type HeadRecord } from './header-guess.ts';
import { textOf } from './utf8-text.ts';

/** How many of the first rows are looked at. */
export const rowsLookedAt = 100;

const delimiters = { comma: 0x2c, semicolon: 0x3b, tab: 0x09, bar: 0x7c } as const;

/** A dialect, and the texts of the records above the header: titles, notes, comments. */
export type FoundDialect = { dialect: DelimitedDialect; above: readonly string[] };

/**
 * The dialect in which most of the first rows have as many cells as the header; of equals, the one with more columns,
 * then the comma. If there is none, the one whose header consists of several names, else the one whose rows agree with
 * each other: then the rows, or the header, are malformed. Quotes are ordinary characters if most rows with a cell that
 * begins with a quote are malformed. Backslashes escape quotes, and a CR alone ends rows, where fewer rows are
 * malformed then.
 */
export function sniffDialect(head: FileHead, format: 'csv' | 'tsv', lineEnd: number, encoding: Encoding): FoundDialect {
  // In these encodings, a vertical bar may be the second byte of a character.
  const bars = ['gb18030', 'big5', 'shift_jis'].includes(encoding) ? [] : [delimiters.bar];
  const candidates =
    format === 'tsv' ? [delimiters.tab] : [delimiters.comma, delimiters.semicolon, delimiters.tab, ...bars];
  const best = (ends: Pick<DelimitedDialect, 'lineEnd' | 'endsAtReturns'>): Agreement => {
    const quoted = bestDialect(head, candidates, { ...ends, quoting: true });
    const escaped = hasBytes(head, backslash, quote)
      ? bestDialect(head, candidates, { ...ends, quoting: true, hasEscapes: true })
      : quoted;
    const found = isBetter(escaped, quoted) ? escaped : quoted;
    return found.problems * 2 <= found.quotedRows ? found : bestDialect(head, candidates, { ...ends, quoting: false });
  };
  const usual = best({ lineEnd });
  const returns = lineEnd === lineFeed ? countLoneReturns(head) : { alone: 0, others: 0 };
  if (returns.alone === 0) return usual;
  const others = best({ lineEnd, endsAtReturns: true });
  // In a table of one column, a CR within a text tears no row apart.
  const isSure = others.columns > 1 || returns.alone >= returns.others;
  return others.share > usual.share || (others.share === usual.share && isSure) ? others : usual;
}

/** Whether fewer rows are malformed, or, of as many, more have as many cells as the header, or it has more columns. */
function isBetter(one: Agreement, other: Agreement): boolean {
  if (one.problems !== other.problems) return one.problems < other.problems;
  return one.share > other.share || (one.share === other.share && one.columns > other.columns);
}

function hasBytes({ bytes }: FileHead, first: number, second: number): boolean {
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1))
    if (bytes[at + 1] === second) return true;
  return false;
}

/** Numbers of CRs that no line end follows, and of line ends. */
function countLoneReturns({ bytes }: FileHead): { alone: number; others: number } {
  let alone = 0;
  let others = 0;
  for (let at = bytes.indexOf(carriageReturn); at !== -1; at = bytes.indexOf(carriageReturn, at + 1)) {
    let next = at + 1;
    while (bytes[next] === carriageReturn) next += 1;
    if (next < bytes.length && bytes[next] !== lineFeed) alone += 1;
    at = next - 1;
  }
  if (alone === 0) return { alone, others };
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) others += 1;
  return { alone, others };
}

type Agreement = FoundDialect & {
  /** Number of cells in the header. */
  columns: number;
  /** Whether each header cell looks like a column name. */
  isNamed: boolean;
  /** Share of rows that are well-formed and have as many cells as the header. */
  share: number;
  /**
   * Whether nearly all rows have the same number of cells, but not that of the first row: then the delimiter is right,
   * but the first row is not a header.
   */
  areAlike: boolean;
  quotedRows: number;
  problems: number;
};

function bestDialect(
  head: FileHead,
  candidates: readonly number[],
  rest: Omit<DelimitedDialect, 'delimiter'>,
): Agreement {
  const agreements = candidates.map((delimiter) => agreementOf(head, { delimiter, ...rest }));
  const tables = agreements.filter(({ columns, share }) => columns > 1 && share >= 0.5);
  const named = agreements.filter(({ columns, isNamed }) => columns > 1 && isNamed);
  const alike = agreements.filter(({ columns, areAlike }) => columns > 1 && areAlike);
  return ([tables, named, alike].find(({ length }) => length > 0) ?? agreements).reduce((best, next) => {
    const isNext = next.share > best.share || (next.share === best.share && next.columns > best.columns);
    return isNext ? next : best;
  });
}

/** Fewer rows may agree by chance. */
const fewestAlike = 10;

function agreementOf(head: FileHead, dialect: DelimitedDialect): Agreement {
  const records = [...recordsOf(head, dialect)];
  const texts = (record: HeadRecord): string[] => cellsOf(head.bytes, record, dialect);
  const first = findHeader(records, texts);
  const [header] = records.slice(first);
  const columns = header?.cells ?? 0;
  const byCells = new Map<number, number>();
  let agreeing = 0;
  const rows = records.slice(first);
  for (const { cells, problem } of rows) {
    if (problem !== undefined) continue;
    byCells.set(cells, (byCells.get(cells) ?? 0) + 1);
    if (cells === columns) agreeing += 1;
  }
  const areAlike =
    rows.length >= fewestAlike &&
    [...byCells].some(([cells, count]) => cells > 1 && cells !== columns && count >= rows.length * 0.9);
  return {
    dialect,
    above: records
      .slice(0, first)
      .map(({ start, end }) => textOf(head.bytes.subarray(start, Math.min(end, start + longestAbove)))),
    columns,
    isNamed: header !== undefined && header.problem === undefined && areNames(texts(header)),
    share: rows.length === 0 ? 0 : agreeing / rows.length,
    areAlike,
    quotedRows: rows.filter(({ hasQuotes }) => hasQuotes).length,
    problems: rows.filter(({ problem }) => problem !== undefined).length,
  };
}

/** Bytes that are shown of a record above the header. */
const longestAbove = 200;

/** The cells of the first records, those above the header included. */
export function firstRecords(head: FileHead, dialect: DelimitedDialect): string[][] {
  return [...recordsOf(head, dialect)].map((record) => cellsOf(head.bytes, record, dialect));
}

function* recordsOf({ bytes, isWholeFile }: FileHead, dialect: DelimitedDialect): Generator<HeadRecord> {
  let count = 0;
  let isBehindBlank = false;
  for (let at = 0; at < bytes.length && count <= rowsLookedAt;) {
    let hasQuotes = false;
    const record = readRecord(bytes, at, bytes.length, dialect, bytes.length, (_start, _end, isQuoted) => {
      hasQuotes ||= isQuoted;
    });
    if (!record.isEnded && !isWholeFile) return;
    at = record.next;
    if (record.end === record.start) {
      isBehindBlank = true;
      continue;
    }
    count += 1;
    yield { ...record, hasQuotes: hasQuotes || record.problem !== undefined, isBehindBlank };
    isBehindBlank = false;
  }
}
