import type { OfficeArchive } from '../../documents/office-parts.ts';
import { sheetProblems } from '../../kernel/sentences/index.ts';
import { maxColumns, maxRows, type CellValue, type SheetCell, type SheetSink } from './sheet-cells.ts';
import { WorkbookProblem } from './workbook-problem.ts';
import type { ListedSheet } from './workbook-protocol.ts';
import { readXml } from './xml-events.ts';

type Attributes = Readonly<Record<string, string>>;
type OpenCell = { attributes: Attributes; paragraphs: string[]; times: number };

/** The sheets of an OpenDocument spreadsheet. */
export async function listOpenDocumentSheets(archive: OfficeArchive): Promise<ListedSheet[]> {
  const sheets: ListedSheet[] = [];
  const hiddenStyles = new Set<string>();
  let style = '';
  let depth = 0;
  await readXml(await archive.stream('content.xml'), {
    open(name, attributes) {
      if (name === 'style') style = attributes['style:name'] ?? '';
      else if (name === 'table-properties' && attributes['table:display'] === 'false') hiddenStyles.add(style);
      else if (name === 'table') {
        depth += 1;
        if (depth > 1) return;
        const isHidden = hiddenStyles.has(attributes['table:style-name'] ?? '');
        sheets.push({ name: attributes['table:name'] ?? `Sheet${sheets.length + 1}`, isHidden });
      }
    },
    text() {},
    close(name) {
      if (name === 'table') depth -= 1;
    },
  });
  return sheets;
}

/** Reads the sheet at an index of the list (OpenDocument 1.3 part 3, 9.1). */
export async function readOpenDocumentSheet(archive: OfficeArchive, place: number, sink: SheetSink): Promise<void> {
  let [sheet, depth, row, column, times] = [-1, 0, 0, 0, 1];
  let cells: SheetCell[] = [];
  let cell: OpenCell | undefined;
  // Depth within comments and drawings, whose text is not the cell's.
  let aside = 0;
  const isRead = (): boolean => sheet === place && depth === 1;
  await readXml(await archive.stream('content.xml'), {
    open(name, attributes) {
      if (name === 'table') {
        depth += 1;
        if (depth === 1) sheet += 1;
      }
      if (!isRead()) return;
      if (name === 'table-row') {
        cells = [];
        column = 0;
        times = repeated(attributes['table:number-rows-repeated'], maxRows);
      } else if (name === 'table-cell' || name === 'covered-table-cell') {
        const wide = repeated(attributes['table:number-columns-repeated'], maxColumns);
        cell = { attributes, paragraphs: [], times: wide };
        if (isSpan(attributes)) sink.mergedRange();
      } else if (name === 'annotation' || name === 'shapes' || name === 'frame') aside += 1;
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
      else if (name === 'annotation' || name === 'shapes' || name === 'frame') aside -= 1;
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

function takeText(cell: OpenCell, name: string, attributes: Attributes): void {
  if (name === 'p') cell.paragraphs.push('');
  const last = cell.paragraphs.length - 1;
  if (last < 0) return;
  if (name === 's') cell.paragraphs[last] += ' '.repeat(repeated(attributes['text:c'], 1_000));
  else if (name === 'tab') cell.paragraphs[last] += '\t';
  else if (name === 'line-break') cell.paragraphs[last] += '\n';
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
    return attributes['table:formula'] === undefined || type === 'string' ? undefined : { formula: true };
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

/** Converts `PT08H30M00S` to a time of day; undefined for longer durations. */
function clockOf(duration: string): string | undefined {
  const [, hours = '', minutes = '', seconds = ''] = /^PT(\d{2})H(\d{2})M(\d{2})(?:[.,]\d+)?S$/.exec(duration) ?? [];
  return hours === '' || Number(hours) > 23 ? undefined : `${hours}:${minutes}:${seconds}`;
}

function isSpan(attributes: Attributes): boolean {
  return (
    Number(attributes['table:number-columns-spanned'] ?? 1) > 1 ||
    Number(attributes['table:number-rows-spanned'] ?? 1) > 1
  );
}

function repeated(text: string | undefined, limit: number): number {
  const times = Number(text ?? 1);
  return Number.isInteger(times) && times > 0 ? Math.min(times, limit) : 1;
}
