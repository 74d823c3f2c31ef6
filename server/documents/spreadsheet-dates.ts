import type { OfficeContentNode } from 'officeparser';
import { eachTag, plainText, tagsOf, type ReadPart } from './office-parts.ts';
import { listSheets } from './workbook.ts';

/** How a cell's style displays its number. */
export type DateKind = 'date' | 'time' | 'date-time';

/** Sheet name → cell such as `B2` → how its number is displayed. */
type DateCells = { sheets: Map<string, Map<string, DateKind>>; isFrom1904: boolean };

/** Built-in formats of dates and times, including locale-specific ones: ECMA-376 part 1, 18.8.30. */
const dateFormats = (id: number): boolean => (id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 50 && id <= 58);
const timeFormats = (id: number): boolean => (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47);

/**
 * Writes the dates and times of an Excel workbook as ISO 8601: a cell contains a day number, and only its style shows
 * that it is a date. Modifies `sheets`, the nodes from officeparser.
 */
export async function writeDates(read: ReadPart, sheets: readonly OfficeContentNode[]): Promise<void> {
  const cells = await readDateCells(read);
  if (cells === undefined) return;
  for (const sheet of sheets) {
    if (sheet.type !== 'sheet') continue;
    const kinds = cells.sheets.get(sheet.metadata?.sheetName ?? '');
    if (kinds === undefined) continue;
    for (const cell of (sheet.children ?? []).flatMap(({ children }) => children ?? [])) {
      if (cell.type !== 'cell' || cell.metadata === undefined) continue;
      const kind = kinds.get(cellName(cell.metadata.row, cell.metadata.col));
      const written = kind === undefined ? undefined : formatDate(Number(cell.text), kind, cells.isFrom1904);
      if (written === undefined) continue;
      cell.text = written;
      cell.children = [{ type: 'text', text: written }];
    }
  }
}

async function readDateCells(read: ReadPart): Promise<DateCells | undefined> {
  const kinds = readDateStyles(await read('xl/styles.xml'));
  if (kinds.size === 0) return undefined;
  const sheets = new Map<string, Map<string, DateKind>>();
  for (const { name, part } of await listSheets(read)) {
    const cells = new Map<string, DateKind>();
    // Iterates instead of building a list: a sheet has millions of cells.
    for (const { r = '', s, t = 'n' } of eachTag(await read(part), 'c')) {
      const kind = kinds.get(Number(s));
      if (kind !== undefined && t === 'n') cells.set(r, kind);
    }
    sheets.set(name, cells);
  }
  const [properties] = tagsOf(await read('xl/workbook.xml'), 'workbookPr');
  return { sheets, isFrom1904: properties?.['date1904'] === '1' || properties?.['date1904'] === 'true' };
}

/** Index of a cell style → how it displays a number. */
export function readDateStyles(styles: string): Map<number, DateKind> {
  const own = new Map(
    tagsOf(styles, 'numFmt').map(({ numFmtId, formatCode = '' }) => [
      Number(numFmtId),
      kindOfCode(plainText(formatCode)),
    ]),
  );
  const cellStyles = /<(?:\w+:)?cellXfs\b.*?<\/(?:\w+:)?cellXfs>/s.exec(styles)?.[0] ?? '';
  const kinds = new Map<number, DateKind>();
  for (const [index, { numFmtId }] of tagsOf(cellStyles, 'xf').entries()) {
    const id = Number(numFmtId);
    const builtIn = dateFormats(id)
      ? 'date'
      : timeFormats(id)
        ? 'time'
        : id === 22 || id === 36
          ? 'date-time'
          : undefined;
    const kind = own.get(id) ?? builtIn;
    if (kind !== undefined) kinds.set(index, kind);
  }
  return kinds;
}

function kindOfCode(code: string): DateKind | undefined {
  const letters = code.replaceAll(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '').toLowerCase();
  if (/general|[0#?]/.test(letters.replaceAll(/s\.0+/g, 's'))) return undefined;
  const isDate = /[yd]/.test(letters) || /mmm/.test(letters);
  const isTime = /[hs]/.test(letters);
  if (isDate) return isTime ? 'date-time' : 'date';
  return isTime ? 'time' : undefined;
}

/**
 * Formats a number of days since the end of 1899 (since 1904 in some workbooks), whose fraction is the time of day;
 * undefined if it is out of range.
 */
export function formatDate(days: number, kind: DateKind, isFrom1904: boolean): string | undefined {
  if (!Number.isFinite(days) || days < 0 || days > 2_958_466) return undefined;
  // Lotus 1-2-3, and therefore Excel, has a 29 February 1900: days before it are off by one.
  const lotus = !isFrom1904 && days >= 1 && days < 60 ? 1 : 0;
  const start = isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const at = new Date(start + Math.round((days + lotus) * 86_400) * 1000).toISOString();
  const date = at.slice(0, 10);
  const time = at.slice(11, 19);
  if (kind === 'time' && days < 1) return time;
  return kind === 'date' && Number.isInteger(days) ? date : `${date} ${time}`;
}

/** The reference of a cell, such as `B2`. */
export function cellName(row: number, column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `${letters}${row + 1}`;
}
