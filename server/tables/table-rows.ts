import { isUtf8 } from 'node:buffer';
import {
  cellText,
  holdsStructure,
  partsOfRecords,
  writeCell,
  type DelimitedPart,
  type DelimitedTable,
} from './delimited.ts';
import { parseRow, partsOf, spliceRow, type JsonlPart } from './jsonl.ts';
import type { LineBlock } from './lines.ts';
import type { TableLayout } from './table-layout.ts';
import { transcodeLines, type TranscodedLines } from './transcoding.ts';

/** A piece of a table: a row (`[start, end)` without its line end), or bytes between rows (header, blank lines). */
export type RowPart = { kind: 'row' | 'filler'; start: number; end: number; next: number };

/** Text of a row; or why there is none, and whether the row itself can't be read. */
export type RowText = { text: string } | { problem: string; isUnread: boolean };

/** Rows of a block of a table, in UTF-8, with all that is between them. */
export type TableRows = {
  /** What the parts point into. */
  readonly bytes: Uint8Array;
  /** Whether `bytes` are the file's own. */
  readonly isSource: boolean;
  parts(): Iterable<RowPart>;
  /** Reads the part that `parts` gave last. */
  read(part: RowPart): RowText;
  /** Why the file can't hold the texts; missing where it holds any. */
  refuse?: (texts: readonly string[]) => string | undefined;
  /** The part that was given last, as a row that holds `text`, which was not refused. */
  splice(part: RowPart, text: string): Uint8Array;
  /** Where the row stands in the file, and how long it is there. */
  placeOf(part: RowPart): { start: number; lengthBytes: number };
};

/** Opens whole rows of a table as they were read from its file; a row over `maxRowBytes` can't be read. */
export function openRows(block: LineBlock, layout: TableLayout, maxRowBytes: number): TableRows {
  const { encoding, delimited } = layout;
  if (encoding === 'utf-8') {
    return delimited === undefined
      ? jsonRows(block, layout, maxRowBytes)
      : delimitedRows(block, layout, delimited, maxRowBytes);
  }
  const markBytes = block.start === 0 ? Math.min(layout.markBytes, block.bytes.length) : 0;
  const lines = transcodeLines(block.bytes.subarray(markBytes), encoding, delimited?.lineEnd ?? 0x0a);
  const { tooLong } = block;
  const transcoded: LineBlock = {
    ...block,
    bytes: lines.bytes,
    tooLong: tooLong === undefined ? undefined : { ...tooLong, start: lines.targetOf(tooLong.start - markBytes) },
  };
  const unmarked = { ...layout, markBytes: 0 };
  const rows =
    delimited === undefined
      ? jsonRows(transcoded, unmarked, maxRowBytes)
      : delimitedRows(transcoded, unmarked, delimited, maxRowBytes);
  return fromOtherEncoding(rows, lines, { sourceStart: block.start + markBytes, encoding, maxRowBytes });
}

/** Rows whose bytes are not the file's: their places are, and lines that couldn't be decoded are no rows. */
function fromOtherEncoding(
  rows: TableRows,
  lines: TranscodedLines,
  { sourceStart, encoding, maxRowBytes }: { sourceStart: number; encoding: string; maxRowBytes: number },
): TableRows {
  const isDamaged = ({ start, next }: RowPart): boolean => holdsAny(lines.damaged, start, next);
  return {
    ...rows,
    isSource: false,
    read: (part) =>
      isDamaged(part)
        ? { problem: `the line is not valid ${encoding.toUpperCase()}`, isUnread: true }
        : rows.read(part),
    placeOf(part) {
      const start = lines.sourceOf(part.start);
      const lineEndBytes = (part.next - part.end) * (encoding.startsWith('utf-16') ? 2 : 1);
      const { lengthBytes } = rows.placeOf(part);
      const isWhole = lengthBytes <= maxRowBytes;
      const length = isWhole ? lines.sourceOf(part.next) - lineEndBytes - start : lengthBytes;
      return { start: sourceStart + start, lengthBytes: length };
    },
  };
}

function refusalOf(texts: readonly string[], table: DelimitedTable): string | undefined {
  const isHeld = texts.every((text) => !holdsStructure(text, table));
  return isHeld ? undefined : 'the file knows no quotes, and the new text holds a delimiter or a line end';
}

/** Whether one of the sorted positions is within `[start, next)`. */
function holdsAny(positions: readonly number[], start: number, next: number): boolean {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low < positions.length && (positions[low] ?? next) < next;
}

function jsonRows(block: LineBlock, { field }: TableLayout, maxRowBytes: number): TableRows {
  const { bytes, tooLong } = block;
  const lengthOf = (part: JsonlPart): number =>
    tooLong !== undefined && part.start === tooLong.start ? tooLong.lengthBytes : part.next - part.start;
  return {
    bytes,
    isSource: true,
    parts: () => (tooLong === undefined ? partsOf(bytes, block.start === 0) : partsWithLong(block)),
    read(part) {
      const lengthBytes = lengthOf(part);
      if (lengthBytes > maxRowBytes) {
        return { problem: `the line of ${lengthBytes} bytes is over the limit of ${maxRowBytes}`, isUnread: true };
      }
      const parsed = parseRow(bytes.subarray(part.start, part.end));
      if (!parsed.ok) return { problem: parsed.reason, isUnread: true };
      const text = Object.hasOwn(parsed.row, field) ? parsed.row[field] : undefined;
      if (typeof text === 'string') return { text };
      const problem = `${JSON.stringify(field)} ${text === undefined ? 'is missing' : 'is not a string'}`;
      return { problem, isUnread: false };
    },
    splice: (part, text) => spliceRow(bytes.subarray(part.start, part.end), field, text),
    placeOf: (part) => ({
      start: block.start + part.start,
      lengthBytes: lengthOf(part) > maxRowBytes ? lengthOf(part) : part.end - part.start,
    }),
  };
}

/** A line over the limit is a row whatever is held of it. */
function* partsWithLong({ bytes, start, tooLong }: LineBlock): Generator<RowPart> {
  for (const part of partsOf(bytes, start === 0)) {
    yield part.start === tooLong?.start && part.next > part.start ? { ...part, kind: 'row' } : part;
  }
}

function delimitedRows(
  block: LineBlock,
  { field, markBytes }: TableLayout,
  table: DelimitedTable,
  maxRowBytes: number,
): TableRows {
  const { bytes, tooLong } = block;
  const atFileStart = block.start === 0;
  const from = atFileStart ? Math.min(markBytes, bytes.length) : 0;
  // One look at all bytes spares one at each row.
  const isAllUtf8 = isUtf8(bytes);
  let current: DelimitedPart | undefined;
  const lengthOf = (part: RowPart): number =>
    tooLong !== undefined && part.start === tooLong.start ? tooLong.lengthBytes : part.next - part.start;

  function* parts(): Generator<RowPart> {
    if (from > 0) yield { kind: 'filler', start: 0, end: from, next: from };
    for (current of partsOfRecords(bytes, table, { from, atFileStart, maxRowBytes })) yield current;
  }

  return {
    bytes,
    isSource: true,
    ...(table.quoting ? {} : { refuse: (texts: readonly string[]) => refusalOf(texts, table) }),
    parts,
    read(part) {
      const lengthBytes = lengthOf(part);
      if (lengthBytes > maxRowBytes) {
        return { problem: `the row of ${lengthBytes} bytes is over the limit of ${maxRowBytes}`, isUnread: true };
      }
      if (current?.problem !== undefined) return { problem: current.problem, isUnread: true };
      if (!isAllUtf8 && !isUtf8(bytes.subarray(part.start, part.end))) {
        return { problem: 'the row is not valid UTF-8', isUnread: true };
      }
      if (current === undefined || current.cellStart === -1) {
        return { problem: `${JSON.stringify(field)} is no column of the header`, isUnread: false };
      }
      return { text: cellText(bytes, current.cellStart, current.cellEnd, current.isQuoted) };
    },
    splice(part, text) {
      if (current === undefined) throw new Error('There is no row');
      const { cellStart, cellEnd, isQuoted } = current;
      const cell = writeCell(text, isQuoted, table);
      return Buffer.concat([bytes.subarray(part.start, cellStart), cell, bytes.subarray(cellEnd, part.end)]);
    },
    placeOf: (part) => ({
      start: block.start + part.start,
      lengthBytes: lengthOf(part) > maxRowBytes ? lengthOf(part) : part.end - part.start,
    }),
  };
}
