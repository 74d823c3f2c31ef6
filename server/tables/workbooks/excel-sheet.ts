import { tagsOf, type OfficeArchive } from '../../documents/office-parts.ts';
import { formatDate, readDateStyles, type DateKind } from '../../documents/spreadsheet-dates.ts';
import { sheetProblems } from '../../kernel/sentences/index.ts';
import { columnOf, maxColumns, maxRows, type CellValue, type SheetCell, type SheetSink } from './sheet-cells.ts';
import { WorkbookProblem } from './workbook-problem.ts';
import { readXml } from './xml-events.ts';

type Workbook = { texts: readonly string[]; dates: ReadonlyMap<number, DateKind>; isFrom1904: boolean };
type OpenCell = { column: number; type: string; style: number; value: string; isFormula: boolean; hasValue: boolean };

/** Reads a sheet of an Excel workbook; `part` contains its cells (ECMA-376 part 1, 18.3). */
export async function readExcelSheet(archive: OfficeArchive, part: string, sink: SheetSink): Promise<void> {
  const [properties] = tagsOf(await archive.read('xl/workbook.xml'), 'workbookPr');
  const from1904 = properties?.['date1904'];
  const workbook: Workbook = {
    texts: await readSharedTexts(archive),
    dates: readDateStyles(await archive.read('xl/styles.xml')),
    isFrom1904: from1904 === '1' || from1904 === 'true',
  };
  let row = 0;
  let column = -1;
  let cells: SheetCell[] = [];
  let cell: OpenCell | undefined;
  let isValue = false;
  // Depth within phonetic readings (furigana), which are not part of the text.
  let phonetic = 0;
  await readXml(await archive.stream(part), {
    open(name, { r, t = 'n', s }) {
      if (name === 'row') {
        row = nextRow(r, row);
        column = -1;
        cells = [];
      } else if (name === 'c') {
        column = columnOf(r ?? '') ?? column + 1;
        if (column >= maxColumns) throw new WorkbookProblem(sheetProblems.TOO_WIDE.reason({ limit: maxColumns }));
        cell = { column, type: t, style: Number(s ?? 0), value: '', isFormula: false, hasValue: false };
      } else if (name === 'rPh') phonetic += 1;
      else if (name === 'f' && cell !== undefined) cell.isFormula = true;
      else if ((name === 'v' || name === 't') && cell !== undefined) {
        isValue = phonetic === 0;
        cell.hasValue = true;
      } else if (name === 'mergeCell') sink.mergedRange();
    },
    text(text) {
      if (isValue && cell !== undefined) cell.value += text;
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'rPh') phonetic -= 1;
      else if (name === 'c' && cell !== undefined) {
        const value = valueOf(cell, workbook);
        if (value !== undefined) cells.push({ column: cell.column, value });
        cell = undefined;
      } else if (name === 'row') {
        if (cells.length > 0) sink.row(row, cells);
        cells = [];
      }
    },
  });
}

function nextRow(written: string | undefined, last: number): number {
  const row = written === undefined ? last + 1 : Number(written);
  if (!Number.isInteger(row) || row <= last || row > maxRows)
    throw new WorkbookProblem(sheetProblems.ROW_OUT_OF_ORDER.reason({ row: last }));
  return row;
}

function valueOf(cell: OpenCell, { texts, dates, isFrom1904 }: Workbook): CellValue | undefined {
  const { type, value, style, isFormula, hasValue } = cell;
  if (type === 's') {
    const text = texts[Number(value)];
    if (text === undefined) throw new WorkbookProblem(sheetProblems.TEXT_MISSING_FROM_LIST.reason({ number: value }));
    return text === '' ? undefined : text;
  }
  if (value === '') return isFormula && !(hasValue && type === 'str') ? { formula: true } : undefined;
  if (type === 'str' || type === 'inlineStr') return withControls(value);
  if (type === 'b') return value === '1' || value === 'true';
  if (type === 'e') return { error: value };
  if (type === 'd') return { date: value };
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  const kind = dates.get(style);
  const date = kind === undefined ? undefined : formatDate(number, kind, isFrom1904);
  return date === undefined ? number : { date: date.replace(' ', 'T') };
}

async function readSharedTexts(archive: OfficeArchive): Promise<string[]> {
  const texts: string[] = [];
  let text = '';
  let isText = false;
  let phonetic = 0;
  await readXml(await archive.stream('xl/sharedStrings.xml'), {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') phonetic += 1;
      else if (name === 't') isText = phonetic === 0;
    },
    text(piece) {
      if (isText) text += piece;
    },
    close(name) {
      if (name === 'si') texts.push(withControls(text));
      else if (name === 'rPh') phonetic -= 1;
      else if (name === 't') isText = false;
    },
  });
  return texts;
}

/** Decodes escapes such as `_x000D_` for characters that XML does not allow. */
function withControls(text: string): string {
  return text.includes('_x')
    ? text.replaceAll(/_x([\da-fA-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
}
