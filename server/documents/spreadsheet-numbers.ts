import type { OfficeContentNode } from 'officeparser';
import { eachTag, type ReadPart } from './office-parts.ts';
import { cellName } from './spreadsheet-dates.ts';
import { listSheets } from './workbook.ts';

/** A number that may have more digits than necessary, or has an exponent. */
const longNumber = /^-?(?:\d+\.\d{13,}|\d+(?:\.\d+)?E[+-]?\d+)$/;

/**
 * Writes the numbers of an Excel workbook with the fewest digits that give the same double: Excel stores 5.1 as
 * 5.0999999999999996. Digits stored as text stay as they are. Modifies `sheets`, the nodes from officeparser.
 */
export async function writeNumbers(read: ReadPart, sheets: readonly OfficeContentNode[]): Promise<void> {
  const parts = new Map((await listSheets(read)).map(({ name, part }) => [name, part]));
  for (const sheet of sheets) {
    const part = sheet.type === 'sheet' ? parts.get(sheet.metadata?.sheetName ?? '') : undefined;
    const cells = (sheet.children ?? []).flatMap(({ children }) => children ?? []);
    const long = new Map<string, OfficeContentNode>();
    for (const cell of cells) {
      if (cell.type !== 'cell' || cell.metadata === undefined || !longNumber.test(cell.text ?? '')) continue;
      long.set(cellName(cell.metadata.row, cell.metadata.col), cell);
    }
    if (part === undefined || long.size === 0) continue;
    for (const { r = '', t = 'n' } of eachTag(await read(part), 'c')) {
      const cell = t === 'n' ? long.get(r) : undefined;
      if (cell === undefined) continue;
      cell.text = String(Number(cell.text));
      cell.children = [{ type: 'text', text: cell.text }];
    }
  }
}
