import type { TextItem } from 'pdfjs-dist/types/src/display/api.js';
import { isText, type PageItem } from './table-text.ts';

/** Narrower gaps are spaces. LaTeX puts the columns of papers 10 points apart. */
const minGutter = 6;
/** Columns with fewer lines are ignored. */
const minLines = 4;
/** Maximum share of lines that cross a gutter, such as titles and wide figures. */
const maxCrossing = 0.4;
/** A page with more gutters contains a table or a drawing. */
const maxGutters = 8;

type Box = { index: number; isBlank: boolean; left: number; right: number; baseline: number; height: number };
type Line = Box[];
type Gutter = { left: number; right: number };

/**
 * Moves the columns of a page below each other, in reading order: officeparser reads gaps of less than 18 points as
 * spaces, and cuts pages at the widest gap in either direction. The writing order distinguishes columns from tables: a
 * column is written as a whole before the next one, a table row by row.
 */
export function stackColumns(items: PageItem[]): PageItem[] {
  const lines = linesOf(items.flatMap((item, index) => (isText(item) ? boxOf(item, index) : [])));
  const gutters = guttersOf(lines).filter((gutter) =>
    bandsOf(lines, [gutter]).some((band) => isWrittenByColumn(band, gutter)),
  );
  if (gutters.length === 0) return items;
  const zones = new Map<number, number>();
  let zone = 0;
  for (const band of bandsOf(lines, gutters)) {
    for (const column of columnsOf(band, gutters)) {
      zone += 1;
      for (const { index } of column) zones.set(index, zone);
    }
  }
  const height = 100 + (lines[0]?.[0]?.baseline ?? 0) - (lines.at(-1)?.at(-1)?.baseline ?? 0);
  return items.map((item, index) => {
    const moved = zones.get(index);
    if (moved === undefined || !isText(item)) return item;
    const transform = [...(item.transform as number[])];
    transform[5] = (transform[5] ?? 0) - moved * height;
    return { ...item, transform };
  });
}

function boxOf({ str, transform, width, height }: TextItem, index: number): Box[] {
  const [a = 1, b = 0, , , left = 0, baseline = 0] = transform as number[];
  if (b !== 0 || a <= 0) return [];
  return [{ index, isBlank: str.trim() === '', left, right: left + width, baseline, height: height || a }];
}

function linesOf(boxes: readonly Box[]): Line[] {
  const lines: Line[] = [];
  for (const box of boxes.toSorted((one, other) => other.baseline - one.baseline)) {
    const first = lines.at(-1)?.[0];
    if (first !== undefined && first.baseline - box.baseline < 0.3 * Math.max(first.height, box.height)) {
      lines.at(-1)?.push(box);
    } else lines.push([box]);
  }
  return lines;
}

/** The vertical strips of a page that few lines cross, with text on both sides. */
function guttersOf(lines: readonly Line[]): Gutter[] {
  const boxes = lines.flatMap((line) => line.filter(({ isBlank }) => !isBlank));
  const left = Math.floor(boxes.reduce((least, box) => Math.min(least, box.left), Infinity));
  const width = Math.ceil(boxes.reduce((most, box) => Math.max(most, box.right), -Infinity)) - left;
  if (lines.length < minLines || !(width > 0 && width < 20_000)) return [];
  const covered = coverage(lines, left, width);
  const [from, to] = [Math.floor(width * 0.15), Math.ceil(width * 0.85)];
  const crossing = covered.subarray(from, to).reduce((least, count) => Math.min(least, count), lines.length);
  if (crossing > maxCrossing * lines.length) return [];
  const gutters: Gutter[] = [];
  let start: number | undefined;
  for (let x = from; x <= to; x += 1) {
    if (x < to && (covered[x] ?? 0) <= crossing + lines.length / 40) start ??= x;
    else if (start !== undefined) {
      if (x - start >= minGutter) gutters.push({ left: left + start, right: left + x });
      start = undefined;
    }
  }
  return gutters.length > maxGutters ? [] : gutters;
}

/** Number of lines with text, at each point of the width. */
function coverage(lines: readonly Line[], left: number, width: number): Int32Array {
  const covered = new Int32Array(width + 2);
  for (const line of lines) {
    let end = -Infinity;
    for (const box of line.filter(({ isBlank }) => !isBlank).toSorted((one, other) => one.left - other.left)) {
      const [from, to] = [Math.max(end, Math.floor(box.left) - left), Math.ceil(box.right) - left];
      if (to <= from) continue;
      covered[from] = (covered[from] ?? 0) + 1;
      covered[to] = (covered[to] ?? 0) - 1;
      end = to;
    }
  }
  for (let x = 1; x < covered.length; x += 1) covered[x] = (covered[x] ?? 0) + (covered[x - 1] ?? 0);
  return covered;
}

/**
 * Whether a line continues across a gutter, or has text in it. The longest lines of a column may protrude into the
 * gutter, but not as far as the next column.
 */
function isAcross(line: Line, gutter: Gutter): boolean {
  let [end, start] = [-Infinity, Infinity];
  for (const { isBlank, left, right } of line) {
    if (isBlank) continue;
    if (left >= gutter.left && right <= gutter.right) return true;
    if (left < gutter.left) end = Math.max(end, right);
    else start = Math.min(start, left);
  }
  return end > gutter.right || start - end < minGutter;
}

/** Runs of lines that leave the gutters free, alternating with runs of lines that do not. */
function bandsOf(lines: readonly Line[], gutters: readonly Gutter[]): Line[][] {
  const bands: Line[][] = [];
  let isFree: boolean | undefined;
  for (const line of lines) {
    const isLineFree = !gutters.some((gutter) => isAcross(line, gutter));
    if (isLineFree !== isFree) bands.push([]);
    isFree = isLineFree;
    bands.at(-1)?.push(line);
  }
  return bands;
}

function isWrittenByColumn(band: readonly Line[], gutter: Gutter): boolean {
  const boxes = band.flat().filter(({ isBlank }) => !isBlank);
  if (band.some((line) => isAcross(line, gutter))) return false;
  const sides = boxes.toSorted((one, other) => one.index - other.index).map((box) => box.left > gutter.left);
  const linesOfSide = (side: boolean): number =>
    band.filter((line) => line.some((box) => !box.isBlank && box.left > gutter.left === side)).length;
  if (linesOfSide(true) < minLines || linesOfSide(false) < minLines) return false;
  const changes = sides.filter((side, index) => index > 0 && side !== sides[index - 1]).length;
  return changes <= 2 + band.length / 10;
}

/** The columns of a band in writing order; the whole band if it was not written by columns. */
function columnsOf(band: readonly Line[], gutters: readonly Gutter[]): Box[][] {
  const inside = gutters.filter((gutter) => isWrittenByColumn(band, gutter));
  const columns = Map.groupBy(band.flat(), (box) => inside.filter(({ left }) => box.left > left).length);
  return [...columns.values()].toSorted((one, other) => firstIndex(one) - firstIndex(other));
}

function firstIndex(boxes: readonly Box[]): number {
  return boxes.reduce((least, { index }) => Math.min(least, index), Infinity);
}
