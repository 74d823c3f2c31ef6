import { isWords } from './cell-words.ts';
import type { DelimitedRecord } from './delimited.ts';

/** One of the first records; `isBehindBlank`: a blank line precedes it. */
export type HeadRecord = DelimitedRecord & { hasQuotes: boolean; isBehindBlank: boolean };

const nameLike = /^(?: ?[\p{L}_][\p{L}\p{M}\p{N}_.:/()#%-]*|[\p{L}_]\S*(?: \S+){0,2})$/u;
const longestName = 40;

/** Whether cells are column names rather than parts of a sentence, where a space follows each delimiter. */
export function areNames(cells: readonly string[]): boolean {
  const isName = (cell: string): boolean => cell.length <= longestName && nameLike.test(cell) && !/[.!?]$/.test(cell);
  return new Set(cells).size === cells.length && cells.every(isName);
}

/** How many records may stand above a header. */
const mostAbove = 20;
/** Share of the rows below a header that have as many cells. */
const shareBelow = 0.9;

/**
 * Index of the record that is the header: 0, unless titles, notes or comments stand above a later one. Those have other
 * numbers of cells than the table, are mostly empty cells, or begin with `# `; and something besides tells them from
 * a header: a blank line, that they are no names, or that only the cells below the later one are numbers or dates.
 */
export function findHeader(records: readonly HeadRecord[], cellsOf: (record: HeadRecord) => string[]): number {
  const [first] = records;
  if (first === undefined) return 0;
  const agreeing = records.filter(({ cells, problem }) => cells === first.cells && problem === undefined).length;
  const startsTable = first.cells > 1 && agreeing >= records.length * 0.5;
  if (startsTable && !isNote(cellsOf(first)) && !isMostlyEmpty(cellsOf(first))) return 0;
  for (let at = 1; at <= Math.min(mostAbove, records.length - 2); at += 1)
    if (isHeader(records, at, cellsOf)) return at;
  return 0;
}

function isHeader(records: readonly HeadRecord[], at: number, cellsOf: (record: HeadRecord) => string[]): boolean {
  const header = records[at];
  if (header === undefined || header.problem !== undefined) return false;
  const columns = header.cells;
  const below = records.slice(at + 1);
  const rows = below.filter(({ cells, problem }) => cells === columns && problem === undefined);
  if (rows.length < below.length * shareBelow) return false;
  const names = cellsOf(header);
  if (!areNames(names) || names.some((name) => name !== name.trim())) return false;
  const above = records.slice(0, at).map((record) => ({ cells: cellsOf(record), count: record.cells }));
  if (columns === 1) return above.every(({ cells }) => isNote(cells));
  const isOther = ({ cells, count }: { cells: string[]; count: number }): boolean => count !== columns || isNote(cells);
  if (!above.every((record) => isOther(record) || isMostlyEmpty(record.cells))) return false;
  // A header may lack names, too.
  const areNoNames = above.some(
    (record) =>
      record.cells.every((cell) => cell === '') ||
      (isOther(record) && (!areNames(record.cells) || /\s/.test(record.cells.join('').trim()))),
  );
  if (areNoNames || records.slice(1, at + 1).some(({ isBehindBlank }) => isBehindBlank)) return true;
  const texts = rows.map(cellsOf);
  return names.some((_, column) => texts.every((cells) => !isWords(cells[column] ?? '')));
}

function isMostlyEmpty(cells: readonly string[]): boolean {
  return cells.filter((cell) => cell !== '').length * 2 <= cells.length;
}

/** Whether a record is a comment: `# made by x`, but not `# name,city`, which is a header. */
function isNote(cells: readonly string[]): boolean {
  const [first = '', ...rest] = cells;
  if (!/^#(?:[\s#!]|$)/.test(first)) return false;
  const names = [first.replace(/^#+\s*/, ''), ...rest];
  return names.length === 1 || !areNames(names) || names.some((name) => name !== name.trim());
}
