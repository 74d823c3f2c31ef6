import type { OfficePackage } from '../../documents/package/office-package.ts';
import type { XmlAttributes } from '../../documents/package/xml-events.ts';
import { formatElapsed } from '../../documents/workbook/cell-dates.ts';
import { sheetProblems } from '../../kernel/sentences/index.ts';
import { maxColumns, maxRows, type CellValue, type SheetCell, type SheetSink } from './sheet-cells.ts';
import { WorkbookProblem } from './workbook-problem.ts';
import type { ListedSheet } from './workbook-protocol.ts';

type OpenCell = { attributes: XmlAttributes; paragraphs: string[]; times: number };

/** The sheets of an OpenDocument spreadsheet. */
export async function listOpenDocumentSheets(found: OfficePackage): Promise<ListedSheet[]> {
  const sheets: ListedSheet[] = [];
  const hiddenStyles = new Set<string>();
  let style = '';
  let depth = 0;
  await found.parse('content.xml', 'table', {
    open(name, attributes) {
      if (name === 'style:style') style = attributes['style:name'] ?? '';
      else if (name === 'style:table-properties' && attributes['display'] === 'false') hiddenStyles.add(style);
      else if (name === 'table') {
        depth += 1;
        if (depth > 1) return;
        const isHidden = hiddenStyles.has(attributes['style-name'] ?? '');
        sheets.push({ name: attributes['name'] ?? `Sheet${sheets.length + 1}`, isHidden });
      }
    },
    close(name) {
      if (name === 'table') depth -= 1;
    },
  });
  return sheets;
}

/** Reads the sheet at an index of the list (OpenDocument 1.3 part 3, 9.1). */
export async function readOpenDocumentSheet(found: OfficePackage, place: number, sink: SheetSink): Promise<void> {
  let [sheet, depth, row, column, times] = [-1, 0, 0, 0, 1];
  let cells: SheetCell[] = [];
  let cell: OpenCell | undefined;
  // Depth within comments and drawings, whose text is not the cell's.
  let aside = 0;
  const isRead = (): boolean => sheet === place && depth === 1;
  await found.parse('content.xml', 'table', {
    open(name, attributes) {
      if (name === 'table') {
        depth += 1;
        if (depth === 1) sheet += 1;
      }
      if (!isRead()) return;
      if (name === 'table-row') {
        cells = [];
        column = 0;
        times = repeated(attributes['number-rows-repeated'], maxRows);
      } else if (name === 'table-cell' || name === 'covered-table-cell') {
        const wide = repeated(attributes['number-columns-repeated'], maxColumns);
        cell = { attributes, paragraphs: [], times: wide };
        if (isSpan(attributes)) sink.mergedRange();
      } else if (name === 'office:annotation' || name === 'shapes' || name === 'draw:frame') aside += 1;
      else if (cell !== undefined && aside === 0) takeText(cell, name, attributes);
    },
    text(text) {
      if (cell === undefined || aside > 0 || cell.paragraphs.length === 0 || !isRead()) return;
      cell.paragraphs[cell.paragraphs.length - 1] += text;
    },
    close(name) {
      if (!isRead()) {
        if (name === 'table') depth -= 1;
        return;
      }
      if (name === 'table') depth -= 1;
      else if (name === 'office:annotation' || name === 'shapes' || name === 'draw:frame') aside -= 1;
      else if ((name === 'table-cell' || name === 'covered-table-cell') && cell !== undefined) {
        column = addCell(cells, cell, column);
        cell = undefined;
      } else if (name === 'table-row') {
        if (cells.length > 0)
          for (let copy = 1; copy <= times; copy += 1) {
            if (row + copy > maxRows)
              throw new WorkbookProblem(sheetProblems.SHEET_TOO_LONG.reason({ limit: maxRows }));
            sink.row(row + copy, cells);
          }
        row += times;
      }
    },
  });
}

function takeText(cell: OpenCell, name: string, attributes: XmlAttributes): void {
  if (name === 'text:p') cell.paragraphs.push('');
  const last = cell.paragraphs.length - 1;
  if (last < 0) return;
  if (name === 'text:s') cell.paragraphs[last] += ' '.repeat(repeated(attributes['text:c'], 1_000));
  else if (name === 'text:tab') cell.paragraphs[last] += '\t';
  else if (name === 'text:line-break') cell.paragraphs[last] += '\n';
}

/** Adds a cell as often as it is repeated; returns the column after it. */
function addCell(cells: SheetCell[], cell: OpenCell, column: number): number {
  const value = valueOf(cell);
  const end = column + cell.times;
  if (value === undefined) return end;
  if (end > maxColumns) throw new WorkbookProblem(sheetProblems.TOO_WIDE.reason({ limit: maxColumns }));
  for (let at = column; at < end; at += 1) cells.push({ column: at, value });
  return end;
}

function valueOf({ attributes, paragraphs }: OpenCell): CellValue | undefined {
  const text = paragraphs.join('\n');
  if (attributes['calcext:value-type'] === 'error') return { error: text === '' ? '#ERR' : text };
  const type = attributes['office:value-type'];
  const written = attributes[`office:${valueNames[type ?? ''] ?? ''}`];
  if (type === undefined || (written === undefined && text === ''))
    return attributes['formula'] === undefined || type === 'string' ? undefined : { formula: true };
  if (type === 'date') return { date: written ?? text };
  if (type === 'time') return { date: clockOf(written ?? '') ?? written ?? text };
  if (type === 'boolean') return written === 'true';
  if (type === 'string') return text === '' ? written : text;
  const number = Number(written);
  return Number.isFinite(number) ? number : text;
}

const valueNames: Readonly<Record<string, string>> = {
  float: 'value',
  percentage: 'value',
  currency: 'value',
  date: 'date-value',
  time: 'time-value',
  boolean: 'boolean-value',
  string: 'string-value',
};

/** Converts `PT08H30M00S` to a time of day, and a longer or negative duration to hours, minutes and seconds. */
function clockOf(duration: string): string | undefined {
  const parts = /^(-?)P(?:(\d+)D)?T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?$/.exec(duration);
  if (parts === null) return undefined;
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0'] = parts;
  const total =
    Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Math.floor(Number(seconds.replace(',', '.')));
  return formatElapsed(sign === '-' ? -total : total);
}

function isSpan(attributes: XmlAttributes): boolean {
  return Number(attributes['number-columns-spanned'] ?? 1) > 1 || Number(attributes['number-rows-spanned'] ?? 1) > 1;
}

function repeated(text: string | undefined, limit: number): number {
  const times = Number(text ?? 1);
  return Number.isInteger(times) && times > 0 ? Math.min(times, limit) : 1;
}
