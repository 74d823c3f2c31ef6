import type { TextItem, TextMarkedContent } from 'pdfjs-dist/types/src/display/api.js';
import type { RuledGrid } from './ruled-grids.ts';

export type PageItem = TextItem | TextMarkedContent;

/** The texts of a table's cells by row; a merged cell counts as its first cell, and the others are missing. */
export type TableText = { rows: string[][]; isMerged: boolean };

/** A longer text is not a cell: the lines are a page frame. */
const maxCellCharacters = 1500;

/** Returns the grid cell that contains a point. */
function cellAt({ xs, ys }: RuledGrid, x: number, y: number): number | undefined {
  const column = xs.findLastIndex((border) => border <= x);
  const row = ys.findLastIndex((border) => border >= y);
  return column < 0 || row < 0 || column > xs.length - 2 || row > ys.length - 2
    ? undefined
    : row * (xs.length - 1) + column;
}

/** A piece of text on the page: its middle, its left edge and its baseline. */
type Piece = { text: string; x: number; width: number; baseline: number; middle: [x: number, y: number]; size: number };

export function isText(item: PageItem): item is TextItem {
  return 'str' in item;
}

/** The middle of an item, whose text may be rotated. */
export function middleOf({ transform, width, height }: TextItem): [x: number, y: number] {
  const [a, b, , , x, y] = transform as number[] as [number, number, number, number, number, number];
  const length = Math.hypot(a, b) || 1;
  const [along, up] = [width / 2, 0.3 * (height || length)];
  return [x + (a * along - b * up) / length, y + (b * along + a * up) / length];
}

/**
 * Writes the texts of items into the grid's cells. Returns undefined if it is not a table: less than two rows or
 * columns have text, or a cell is as long as a page.
 */
export function fillTable(grid: RuledGrid, items: readonly TextItem[]): TableText | undefined {
  const { xs, ys, firsts, isMerged } = grid;
  const cells: Piece[][] = firsts.map(() => []);
  for (const piece of items.flatMap((item) => piecesOf(item, grid))) {
    const cell = cellAt(grid, ...piece.middle) ?? 0;
    cells[firsts[cell] ?? cell]?.push(piece);
  }
  const columns = xs.length - 1;
  const lines = ys.slice(1).map((_, row) => cells.slice(row * columns, (row + 1) * columns).map(linesOf));
  const hasText = (cell: readonly Line[] | undefined): boolean => cell !== undefined && cell.length > 0;
  const rowsWithText = lines.filter((row) => row.some(hasText)).length;
  const columnsWithText = xs.slice(1).filter((_, column) => lines.some((row) => hasText(row[column]))).length;
  if (rowsWithText < 2 || columnsWithText < 2) return undefined;
  const rows = isMerged
    ? lines.map((row) => row.filter(hasText).map(textOf)).filter((row) => row.length > 0)
    : lines.flatMap(rowsOf);
  return rows.some((row) => row.some((text) => text.length > maxCellCharacters)) ? undefined : { rows, isMerged };
}

/** pdf.js joins nearby texts across a border; cuts them at the space nearest to it. */
function piecesOf(item: TextItem, { xs }: RuledGrid): Piece[] {
  const [a = 1, b = 0, , , x = 0, baseline = 0] = item.transform as number[];
  const size = item.height || Math.hypot(a, b);
  const whole: Piece = { text: item.str, x, width: item.width, baseline, middle: middleOf(item), size };
  if (item.str.trim() === '') return [];
  if (b !== 0 || a <= 0) return [whole];
  const perCharacter = item.width / item.str.length;
  const cuts = xs.flatMap((border) => {
    if (border < x + size / 2 || border > x + item.width - size / 2) return [];
    const at = (border - x) / perCharacter;
    const space = [...item.str.matchAll(/\s/g)]
      .map(({ index }) => index)
      .toSorted((one, other) => Math.abs(one - at) - Math.abs(other - at))[0];
    return space === undefined || Math.abs(space - at) * perCharacter > 2 * size ? [] : [space];
  });
  return [0, ...new Set(cuts)].map((start, index, starts) => {
    const end = starts[index + 1] ?? item.str.length;
    const left = x + start * perCharacter;
    const width = (end - start) * perCharacter;
    const middle: [number, number] = [left + width / 2, whole.middle[1]];
    return { ...whole, text: item.str.slice(start, end), x: left, width, middle };
  });
}

type Line = { text: string; baseline: number; size: number };

/** The lines of a cell from top to bottom. */
function linesOf(pieces: readonly Piece[]): Line[] {
  const lines: Piece[][] = [];
  for (const piece of pieces.toSorted((one, other) => other.baseline - one.baseline)) {
    const [first] = lines.at(-1) ?? [];
    // A superscript or subscript is part of its line.
    if (first !== undefined && first.baseline - piece.baseline <= 0.5 * Math.max(first.size, piece.size)) {
      lines.at(-1)?.push(piece);
    } else lines.push([piece]);
  }
  return lines.map((line) => {
    const ordered = isRightToLeft(line)
      ? line.toSorted((one, other) => other.x - one.x)
      : line.toSorted((one, other) => one.x - other.x);
    const text = ordered.reduce((written, piece, index) => {
      const before = ordered[index - 1];
      const gap =
        before === undefined ? 0 : Math.max(piece.x - before.x - before.width, before.x - piece.x - piece.width);
      return written + (gap > 0.2 * piece.size ? ' ' : '') + piece.text;
    }, '');
    return { text: text.replaceAll(/\s+/g, ' ').trim(), baseline: line[0]?.baseline ?? 0, size: line[0]?.size ?? 0 };
  });
}

function isRightToLeft(line: readonly Piece[]): boolean {
  const letters = line.map(({ text }) => text).join('');
  return 2 * (letters.match(/[\p{Script=Arabic}\p{Script=Hebrew}]/gu)?.length ?? 0) > letters.length;
}

/**
 * The rows between two ruled lines: more than one if every cell has text in each of at least three text lines, at the
 * same height. Such tables only have lines between their columns.
 */
function rowsOf(cells: readonly (readonly Line[])[]): string[][] {
  const [first = []] = cells;
  const isLedger =
    first.length >= 3 &&
    cells.every(
      (lines) =>
        lines.length === first.length &&
        lines.every(({ baseline, size }, index) => Math.abs(baseline - (first[index]?.baseline ?? 0)) < size / 2),
    );
  if (isLedger) return first.map((_, index) => cells.map((lines) => lines[index]?.text ?? ''));
  return [cells.map(textOf)];
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).reduce(joinLine, '');
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** Joins two lines of a paragraph: rejoins hyphenated words; adds no space in Chinese and Japanese. */
function joinLine(text: string, line: string): string {
  if (text === '') return line;
  if (/\p{L}[-\u00ad]$/u.test(text) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
  if (unspaced.test(text.at(-1) ?? '') && unspaced.test(line.at(0) ?? '')) return text + line;
  return `${text} ${line}`;
}
