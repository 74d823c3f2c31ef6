import type { OfficePackage } from '../../documents/package/office-package.ts';
import { formatDate } from '../../documents/workbook/cell-dates.ts';
import { plainTextOf } from '../../documents/workbook/rich-text.ts';
import { readSheet, type StoredCell } from '../../documents/workbook/sheet-events.ts';
import { readWorkbook, type Workbook } from '../../documents/workbook/workbook-parts.ts';
import { documentProblems, sheetProblems } from '../../kernel/sentences/index.ts';
import { maxColumns, maxRows, type CellValue, type SheetCell, type SheetSink } from './sheet-cells.ts';
import { WorkbookProblem } from './workbook-problem.ts';

/** Reads a sheet of an Excel workbook; `part` contains its cells. */
export async function readExcelSheet(found: OfficePackage, part: string, sink: SheetSink): Promise<void> {
  const workbook = await readWorkbook(found);
  let row = 0;
  let cells: SheetCell[] = [];
  const { isComplete } = await readSheet(found, part, {
    row(written) {
      row = nextRow(written, row);
      cells = [];
    },
    cell(cell) {
      if (cell.column >= maxColumns) throw new WorkbookProblem(sheetProblems.TOO_WIDE.reason({ limit: maxColumns }));
      const value = valueOf(cell, workbook);
      if (value !== undefined) cells.push({ column: cell.column, value });
    },
    rowEnd() {
      if (cells.length > 0) sink.row(row, cells);
    },
    other(name) {
      if (name === 'mergeCell') sink.mergedRange();
    },
  });
  if (!isComplete) throw new WorkbookProblem(documentProblems.PART_CUT.reason({ part }));
}

function nextRow(written: string | undefined, last: number): number {
  const row = written === undefined ? last + 1 : Number(written);
  if (!Number.isInteger(row) || row <= last || row > maxRows)
    throw new WorkbookProblem(sheetProblems.ROW_OUT_OF_ORDER.reason({ row: last }));
  return row;
}

function valueOf(cell: StoredCell, { texts, styles, isFrom1904 }: Workbook): CellValue | undefined {
  const { type, value, style, isFormula, hasValue } = cell;
  if (type === 's' && value !== '') {
    const text = texts[Number(value)];
    if (text === undefined) throw new WorkbookProblem(sheetProblems.TEXT_MISSING_FROM_LIST.reason({ number: value }));
    return plainTextOf(text) || undefined;
  }
  if (type === 'inlineStr') return plainTextOf(cell.text) || undefined;
  if (value === '') return isFormula && !(hasValue && type === 'str') ? { formula: true } : undefined;
  if (type === 'str') return value;
  if (type === 'b') return value === '1' || value === 'true';
  if (type === 'e') return { error: value };
  if (type === 'd') return { date: value };
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  const kind = styles[style]?.date;
  const date = kind === undefined ? undefined : formatDate(number, kind, isFrom1904);
  return date === undefined ? number : { date: date.replace(' ', 'T') };
}
