import { readRecord, type DelimitedRecord, type DelimitedDialect } from './delimited.ts';
import type { Encoding } from './encodings.ts';
import type { FileHead } from './encoding-detection.ts';
import { cellsOf } from './delimited-cells.ts';

/** How many of the first rows are looked at. */
export const rowsLookedAt = 100;

const delimiters = { comma: 0x2c, semicolon: 0x3b, tab: 0x09, bar: 0x7c } as const;

/**
 * The dialect in which most of the first rows have as many cells as the header; of equals, the one with more columns,
 * then the comma. If there is none, the one whose header consists of several names, else the one whose rows agree with
 * each other: then the rows, or the header, are malformed. Quotes are ordinary characters if most rows with a cell that
 * begins with a quote are malformed.
 */
export function sniffDialect(
  head: FileHead,
  format: 'csv' | 'tsv',
  lineEnd: number,
  encoding: Encoding,
): DelimitedDialect {
  // In these encodings, a vertical bar may be the second byte of a character.
  const bars = ['gb18030', 'big5', 'shift_jis'].includes(encoding) ? [] : [delimiters.bar];
  const candidates =
    format === 'tsv' ? [delimiters.tab] : [delimiters.comma, delimiters.semicolon, delimiters.tab, ...bars];
  const quoted = bestDialect(head, candidates, lineEnd, true);
  const meansQuotes = quoted.problems * 2 <= quoted.quotedRows;
  return (meansQuotes ? quoted : bestDialect(head, candidates, lineEnd, false)).dialect;
}

type Agreement = {
  dialect: DelimitedDialect;
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

function bestDialect(head: FileHead, candidates: readonly number[], lineEnd: number, quoting: boolean): Agreement {
  const agreements = candidates.map((delimiter) => agreementOf(head, { delimiter, lineEnd, quoting }));
  const tables = agreements.filter(({ columns, share }) => columns > 1 && share >= 0.5);
  const named = agreements.filter(({ columns, isNamed }) => columns > 1 && isNamed);
  const alike = agreements.filter(({ columns, areAlike }) => columns > 1 && areAlike);
  return ([tables, named, alike].find(({ length }) => length > 0) ?? agreements).reduce((best, next) => {
    const isBetter = next.share > best.share || (next.share === best.share && next.columns > best.columns);
    return isBetter ? next : best;
  });
}

/** Fewer rows may agree by chance. */
const fewestAlike = 10;

function agreementOf(head: FileHead, dialect: DelimitedDialect): Agreement {
  let columns = 0;
  let isNamed = false;
  let rows = 0;
  let agreeing = 0;
  let quotedRows = 0;
  let problems = 0;
  const byCells = new Map<number, number>();
  for (const record of recordsOf(head, dialect)) {
    const { cells, problem, hasQuotes } = record;
    if (problem === undefined) byCells.set(cells, (byCells.get(cells) ?? 0) + 1);
    if (columns === 0) {
      columns = cells;
      isNamed = problem === undefined && areNames(cellsOf(head.bytes, record, dialect));
    }
    rows += 1;
    if (hasQuotes) quotedRows += 1;
    if (problem !== undefined) problems += 1;
    else if (cells === columns) agreeing += 1;
  }
  const areAlike =
    rows >= fewestAlike && [...byCells].some(([cells, count]) => cells > 1 && cells !== columns && count >= rows * 0.9);
  return { dialect, columns, isNamed, share: rows === 0 ? 0 : agreeing / rows, areAlike, quotedRows, problems };
}

const nameLike = /^(?: ?[\p{L}_][\p{L}\p{M}\p{N}_.:/()#%-]*|[\p{L}_]\S*(?: \S+){0,2})$/u;
const longestName = 40;

/** Whether cells are column names rather than parts of a sentence, where a space follows each delimiter. */
function areNames(cells: readonly string[]): boolean {
  const isName = (cell: string): boolean => cell.length <= longestName && nameLike.test(cell) && !/[.!?]$/.test(cell);
  return new Set(cells).size === cells.length && cells.every(isName);
}

export function firstRecords(head: FileHead, dialect: DelimitedDialect): string[][] {
  return [...recordsOf(head, dialect)].map((record) => cellsOf(head.bytes, record, dialect));
}

type HeadRecord = DelimitedRecord & { hasQuotes: boolean };

function* recordsOf({ bytes, isWholeFile }: FileHead, dialect: DelimitedDialect): Generator<HeadRecord> {
  let count = 0;
  for (let at = 0; at < bytes.length && count <= rowsLookedAt;) {
    let hasQuotes = false;
    const record = readRecord(bytes, at, bytes.length, dialect, bytes.length, (_start, _end, isQuoted) => {
      hasQuotes ||= isQuoted;
    });
    if (!record.isEnded && !isWholeFile) return;
    at = record.next;
    if (record.end === record.start) continue;
    count += 1;
    yield { ...record, hasQuotes: hasQuotes || record.problem !== undefined };
  }
}
