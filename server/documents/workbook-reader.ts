import type { OfficeContentNode } from 'officeparser';
import { documentProblems } from '../kernel/sentences/index.ts';
import type { Draft } from './draft.ts';
import { addNodes } from './office-markdown.ts';
import { readTitle } from './package/core-properties.ts';
import { readDrawing } from './package/drawings.ts';
import { tellOfObjects } from './package/embedded-objects.ts';
import { openPackage, type OfficePackage } from './package/office-package.ts';
import { DocumentFailure } from './receipt.ts';
import { formatDate } from './workbook/cell-dates.ts';
import { plainTextOf, type RichText } from './workbook/rich-text.ts';
import { readSheet, type StoredCell } from './workbook/sheet-events.ts';
import { readWorkbook, type Workbook, type WorkbookSheet } from './workbook/workbook-parts.ts';

/** Cells that any workbook may have, and further ones for each byte of its file; real ones have half a cell per byte. */
const maxCells = 1_000_000;
const maxCellsPerByte = 1;

/** Reads an Excel workbook: a heading and a table for each sheet, and what is written in its text boxes. */
export async function readWorkbookDocument(bytes: Uint8Array, draft: Draft): Promise<void> {
  const found = await openPackage(bytes);
  const workbook = await readWorkbook(found);
  draft.title = await readTitle(found);
  draft.pagesIn = workbook.sheets.length;
  const room = createRoom(maxCells + maxCellsPerByte * bytes.length, draft.maxTextBytes);
  for (const [index, sheet] of workbook.sheets.entries()) {
    if (sheet.isHidden) draft.warn(documentProblems.SHEET_HIDDEN.reason({ sheet: sheet.name }));
    // The receipt counts a sheet without a part as one without content.
    if (!found.has(sheet.part)) continue;
    const rows = await readRows(found, workbook, sheet, draft, room);
    await tellOfObjects(found, sheet.part, draft);
    const boxes = await readSurroundings(found, sheet, draft);
    const metadata = { sheetName: sheet.name, sheetNumber: index + 1 };
    await addNodes(draft, [{ type: 'sheet', children: [...rows, ...boxes], metadata }]);
  }
}

type Room = { take(text: string): void };

/** Ends the reading of a workbook whose cells grow over all limits, before they fill the memory. */
function createRoom(cells: number, textBytes: number): Room {
  let cellsLeft = cells;
  let textLeft = textBytes;
  return {
    take(text) {
      cellsLeft -= 1;
      textLeft -= text.length;
      if (cellsLeft < 0) throw new DocumentFailure('TOO_LARGE', documentProblems.MORE_CELLS.reason({ limit: cells }));
      if (textLeft < 0)
        throw new DocumentFailure('TOO_LARGE', documentProblems.TEXT_OVER_LIMIT.reason({ limit: textBytes }));
    },
  };
}

async function readRows(
  found: OfficePackage,
  workbook: Workbook,
  { name: sheet, part }: WorkbookSheet,
  draft: Draft,
  room: Room,
): Promise<OfficeContentNode[]> {
  const rows: OfficeContentNode[] = [];
  let cells: OfficeContentNode[] = [];
  let row = -1;
  let formulas = 0;
  const { isComplete } = await readSheet(found, part, {
    row(written) {
      row = Number(written ?? row + 2) - 1;
      cells = [];
    },
    cell(cell) {
      if (isFormulaWithoutValue(cell)) formulas += 1;
      const content = contentOf(cell, workbook);
      const text = plainTextOf(content);
      room.take(text);
      if (text === '') return;
      const emphasis = workbook.styles[cell.style]?.emphasis ?? {};
      const runs =
        typeof content === 'string'
          ? [{ type: 'text', text: withLineEnds(text), formatting: { ...emphasis } }]
          : content.map((run) => ({ type: 'text', text: withLineEnds(run.text), formatting: { ...run.emphasis } }));
      const metadata = { row, col: cell.column };
      cells.push({ type: 'cell', text, children: runs, metadata } as OfficeContentNode);
    },
    rowEnd() {
      if (cells.length > 0) rows.push({ type: 'row', children: cells });
    },
    other(name) {
      if (headersAndFooters.has(name)) draft.runningLines += 1;
    },
  });
  if (!isComplete) draft.warn(documentProblems.PART_CUT.reason({ part }));
  if (formulas === 1) draft.warn(documentProblems.FORMULA_EMPTY.reason({ sheet }));
  if (formulas > 1) draft.warn(documentProblems.FORMULAS_EMPTY.reason({ count: formulas, sheet }));
  return rows;
}

const headersAndFooters = new Set(['oddHeader', 'oddFooter', 'evenHeader', 'evenFooter', 'firstHeader', 'firstFooter']);

function withLineEnds(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}

/** Whether no spreadsheet program has calculated the cell. A text may be empty, but a number may not. */
function isFormulaWithoutValue({ isFormula, type, hasValue, value }: StoredCell): boolean {
  return isFormula && value === '' && !(type === 'str' && hasValue) && type !== 'inlineStr';
}

function contentOf({ type, style, value, text }: StoredCell, { texts, styles, isFrom1904 }: Workbook): RichText {
  if (type === 'inlineStr') return text;
  const written = value.trim();
  if (type === 's') return texts[Number(written)] ?? '';
  if (type === 'b') return written === '1' || written === 'true' ? 'TRUE' : written === '' ? '' : 'FALSE';
  if (type !== 'n' || written === '') return written;
  const kind = styles[style]?.date;
  const date = kind === undefined ? undefined : formatDate(Number(written), kind, isFrom1904);
  return date ?? (longNumber.test(written) ? String(Number(written)) : written);
}

/**
 * A number that may have more digits than necessary, or has an exponent: it is written with the fewest digits that give
 * the same double, since Excel stores 5.1 as 5.0999999999999996.
 */
const longNumber = /^-?(?:\d+\.\d{13,}|\d+(?:\.\d+)?E[+-]?\d+)$/;

/** Counts the pictures, charts and comments of a sheet, and returns the texts of its shapes as paragraphs. */
async function readSurroundings(
  found: OfficePackage,
  { part }: WorkbookSheet,
  draft: Draft,
): Promise<OfficeContentNode[]> {
  for (const comments of new Set(await found.relatedParts(part, 'comments'))) {
    await found.parse(comments, 'x', {
      open(name) {
        if (name === 'comment') draft.comments += 1;
      },
    });
  }
  const texts: string[] = [];
  for (const drawing of new Set(await found.relatedParts(part, 'drawing'))) {
    const drawn = await readDrawing(found, drawing);
    texts.push(...drawn.texts);
    draft.images += drawn.images;
    draft.charts += drawn.charts;
  }
  return texts.map((text) => ({ type: 'paragraph', text, children: [{ type: 'text', text }] }));
}
