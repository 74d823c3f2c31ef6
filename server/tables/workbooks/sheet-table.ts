import { cellName } from '../../documents/workbook/cell-places.ts';
import { sheetProblems } from '../../kernel/sentences/index.ts';
import type { IndexLines } from '../index-lines.ts';
import type { CellValue, SheetCell, SheetSink } from './sheet-cells.ts';
import { WorkbookProblem } from './workbook-problem.ts';
import type { SheetReceipt, SomeCells } from './workbook-protocol.ts';

/** The header is searched for in this many filled rows. */
const headRows = 20;
const shownCharacters = 200;

type Row = { number: number; cells: readonly SheetCell[] };
type Column = { name: string; key: string };

/**
 * Makes a table of a sheet: each row becomes the line of the same number, as JSON; rows without a value, the header and
 * the rows above it become empty lines. Call `end` after the last row.
 */
export function createSheetTable(lines: IndexLines, maxCharacters: number): SheetSink & { end(): SheetReceipt } {
  const receipt: SheetReceipt = {
    headerRow: null,
    rowsAbove: [],
    rows: 0,
    emptyRows: 0,
    mergedRanges: 0,
    errorCells: [],
    formulasWithoutValue: { count: 0, first: null },
  };
  let head: Row[] | undefined = [];
  const columns = new Map<number, Column>();
  const names = new Set<string>();
  let line = 1;
  let last = 0;
  let characters = 0;

  function columnAt(place: number, header?: string): Column {
    const known = columns.get(place);
    if (known !== undefined) return known;
    const wanted = header ?? lettersOf(place);
    let name = wanted;
    for (let copy = 2; names.has(name); copy += 1) name = `${wanted}_${copy}`;
    names.add(name);
    const column = { name, key: JSON.stringify(name.toWellFormed()) };
    columns.set(place, column);
    return column;
  }

  function begin(rows: readonly Row[]): void {
    head = undefined;
    const header = findHeader(rows);
    if (header !== undefined) {
      receipt.headerRow = header.number;
      for (const { column, value } of header.cells)
        if (typeof value === 'string') columnAt(column, value.trim().replaceAll(/\s+/g, ' '));
      last = header.number;
    }
    for (const row of rows) {
      if (header === undefined || row.number > header.number) write(row);
      else if (row !== header) receipt.rowsAbove.push({ row: row.number, text: textOf(row) });
    }
  }

  function write({ number, cells }: Row): void {
    const filled = new Map<number, string | number | boolean>();
    for (const { column, value } of cells) {
      columnAt(column);
      const plain = plainValue(value, () => cellName(number - 1, column), receipt);
      if (plain !== undefined) filled.set(column, plain);
    }
    receipt.emptyRows += last === 0 ? 0 : number - last - 1;
    last = number;
    receipt.rows += 1;
    const values = [...columns].map(([place, { key }]) => `${key}:${JSON.stringify(filled.get(place) ?? null)}`);
    const text = `${'\n'.repeat(number - line)}{${values.join(',')}}`;
    line = number;
    characters += text.length;
    if (characters > maxCharacters)
      throw new WorkbookProblem(sheetProblems.SHEET_TOO_LARGE.reason({ limit: maxCharacters >> 20 }));
    lines.add(text);
  }

  return {
    row(number, cells) {
      if (head === undefined) write({ number, cells });
      else {
        head.push({ number, cells: [...cells] });
        if (head.length === headRows) begin(head);
      }
    },
    mergedRange() {
      receipt.mergedRanges += 1;
    },
    end() {
      if (head !== undefined) begin(head);
      return receipt;
    },
  };
}

/**
 * The first row that contains only texts, fills more than half as many cells as the fullest of the first rows, and has
 * a row below it.
 */
function findHeader(rows: readonly Row[]): Row | undefined {
  const widest = Math.max(0, ...rows.map(({ cells }) => cells.length));
  return rows.slice(0, -1).find(({ cells }) => cells.length * 2 > widest && cells.every(({ value }) => isName(value)));
}

function isName(value: CellValue): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function plainValue(
  value: CellValue,
  place: () => string,
  receipt: SheetReceipt,
): string | number | boolean | undefined {
  if (typeof value !== 'object') return typeof value === 'string' ? value.toWellFormed() : value;
  if ('date' in value) return value.date.toWellFormed();
  if ('formula' in value) {
    note(receipt.formulasWithoutValue, place);
    return undefined;
  }
  const error = value.error.slice(0, shownCharacters).toWellFormed();
  let known = receipt.errorCells.find((one) => one.error === error);
  if (known === undefined) receipt.errorCells.push((known = { error, count: 0, first: null }));
  note(known, place);
  return undefined;
}

function note(cells: SomeCells, place: () => string): void {
  cells.count += 1;
  cells.first ??= place();
}

function textOf({ cells }: Row): string {
  const texts = cells.map(({ value }) => (typeof value === 'object' ? Object.values(value)[0] : value));
  return texts.join(' ').slice(0, shownCharacters).toWellFormed();
}

/** `A`, `B` … `AA`. */
function lettersOf(column: number): string {
  return cellName(0, column).slice(0, -1);
}
