import { arrayProblem } from '../array-problems.ts';
import { inputProblems, type Reason } from '../../kernel/sentences/index.ts';
import { createArrayScanner, type ArrayElement } from '../json-array.ts';
import { createBlockMemory, readFully, readLines, readRows, type LineBlock, type ReadAt } from '../lines.ts';
import { findRowStarts, needsRowScan } from '../row-boundaries.ts';
import type { TableLayout } from '../table-layout.ts';
import { openRows } from '../block-rows.ts';
import type { RowPart, TableRows } from '../table-rows.ts';

/** A row of a text table and its position; `open` reads it. */
export type WalkedRow = {
  /** From 0, as a run numbers rows: unreadable rows count, blank lines and the header don't. */
  row: number;
  /** Its first line, from 1. */
  line: number;
  /** Byte offset in the file. */
  start: number;
  lengthBytes: number;
  /** Valid until the next row is requested. */
  open(): OpenedRow;
};

/** The values of a row by column, and its text; or why it can't be read. */
export type OpenedRow =
  | { problem: undefined; values: Readonly<Record<string, unknown>>; text(): string }
  | { problem: Reason; text(): string };

/** A longer row is unreadable, as in a run. */
export const maxRowBytes = 64 << 20;

const stepBytes = 1 << 20;

/** All rows of a table in order, in bounded memory. */
export function walkRows(read: ReadAt, sizeBytes: number, layout: TableLayout): Generator<WalkedRow> {
  return layout.isArray === true ? walkElements(read, sizeBytes, layout) : walkLines(read, sizeBytes, layout);
}

function* walkLines(read: ReadAt, sizeBytes: number, layout: TableLayout): Generator<WalkedRow> {
  let row = 0;
  let line = 1;
  for (const block of blocksOf(read, sizeBytes, layout)) {
    const rows = openRows(block, layout, maxRowBytes);
    for (const part of rows.parts()) {
      if (part.kind === 'row') {
        const { start, lengthBytes } = rows.placeOf(part);
        yield { row, line, start, lengthBytes, open: () => openPart(rows, part) };
        row += 1;
      }
      line += rows.lineEnds(part);
    }
  }
}

function openPart(rows: TableRows, part: RowPart): OpenedRow {
  const text = (): string => rows.show(part);
  const unread = rows.open(part);
  if (unread !== undefined) return { problem: unread.problem, text };
  return { problem: undefined, values: rows.values(part), text };
}

/** The lines of a table, about a MiB at a time. */
export function* blocksOf(read: ReadAt, sizeBytes: number, layout: TableLayout): Generator<LineBlock> {
  const memory = createBlockMemory();
  if (!needsRowScan(layout)) {
    for (let from = 0; from < sizeBytes; from += stepBytes) {
      const range = { from, to: Math.min(sizeBytes, from + stepBytes), sizeBytes, maxLineBytes: maxRowBytes };
      yield readLines(read, range, memory);
    }
    return;
  }
  const scan = { encoding: layout.encoding, dialect: layout.delimited, sizeBytes, maxRowBytes };
  let from = 0;
  for (const to of findRowStarts(read, scan, stepBytes)) {
    yield readRows(read, { from, to, maxLineBytes: maxRowBytes }, memory);
    from = to;
  }
  if (from < sizeBytes) yield readRows(read, { from, to: sizeBytes, maxLineBytes: maxRowBytes }, memory);
}

const lineFeed = 0x0a;
const shownBytes = 64 << 10;

/** The elements of an array; from where it stops being valid JSON, the rest is one unreadable row. */
function* walkElements(read: ReadAt, sizeBytes: number, layout: TableLayout): Generator<WalkedRow> {
  const scanner = createArrayScanner(0, layout.markBytes);
  let elements: ArrayElement[] = [];
  let row = 0;
  let line = 1;
  let counted = 0;
  const lineAt = (position: number): number => {
    line += countLineFeeds(read, counted, position);
    counted = position;
    return line;
  };
  const block = Buffer.alloc(Math.min(stepBytes, sizeBytes));
  for (let at = 0; at < sizeBytes; at += block.length) {
    const bytes = block.subarray(0, Math.min(block.length, sizeBytes - at));
    readFully(read, bytes, at);
    scanner.push(bytes, (element) => elements.push(element));
    for (const { start, end } of elements) {
      const lengthBytes = end - start;
      yield { row, line: lineAt(start), start, lengthBytes, open: () => openAt(read, { start, lengthBytes }, layout) };
      row += 1;
    }
    elements = [];
  }
  const { broken } = scanner.end(true);
  if (broken === undefined) return;
  const { from: start } = broken;
  const problem = inputProblems.NO_ARRAY_FROM.reason({ why: arrayProblem(broken.problem), position: start });
  const text = (): string => shownAt(read, start, sizeBytes - start);
  yield { row, line: lineAt(start), start, lengthBytes: sizeBytes - start, open: () => ({ problem, text }) };
}

/** Reads one row at its position in the file. */
export function openAt(
  read: ReadAt,
  { start, lengthBytes }: { start: number; lengthBytes: number },
  layout: TableLayout,
): OpenedRow {
  const isLong = lengthBytes > maxRowBytes;
  const bytes = Buffer.alloc(isLong ? shownBytes : lengthBytes);
  readFully(read, bytes, start);
  const tooLong = isLong ? { start: 0, lengthBytes } : undefined;
  const block: LineBlock = { bytes, start, end: start + bytes.length, tooLong };
  const rows = openRows(block, layout, maxRowBytes);
  if (layout.isArray === true) {
    const part: RowPart = { kind: 'row', start: 0, end: lengthBytes, next: lengthBytes };
    return openPart(rows, part);
  }
  for (const part of rows.parts()) if (part.kind === 'row') return openPart(rows, part);
  throw new Error(`There is no row at byte ${start}`);
}

function shownAt(read: ReadAt, start: number, lengthBytes: number): string {
  const bytes = Buffer.alloc(Math.min(shownBytes, lengthBytes));
  readFully(read, bytes, start);
  return bytes.toString('utf8');
}

function countLineFeeds(read: ReadAt, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += stepBytes) {
    const bytes = Buffer.alloc(Math.min(stepBytes, to - at));
    readFully(read, bytes, at);
    for (let found = bytes.indexOf(lineFeed); found !== -1; found = bytes.indexOf(lineFeed, found + 1)) count += 1;
  }
  return count;
}
