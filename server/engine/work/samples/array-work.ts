import { arrayProblem } from '../../../tables/array-problems.ts';
import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import {
  createArrayScanner,
  findElementRange,
  scanArray,
  type ArrayElement,
  type ArrayEnd,
} from '../../../tables/json-array.ts';
import { readFully, type LineBlock, type ReadAt } from '../../../tables/lines.ts';
import type { TableLayout } from '../../../tables/table-layout.ts';
import { openRows } from '../../../tables/block-rows.ts';
import type { RowPart, TableRows } from '../../../tables/table-rows.ts';
import { type PieceRead, type PlacedPiece, problemIn } from '../../orders/shard.ts';
import { createRowFilter } from '../../orders/row-filter.ts';
import { writableRows } from './writable-rows.ts';
import { createRowPicks } from './row-picks.ts';
import { outputsOf, readSample, refusalOf, replaced } from './row-sample.ts';
import { createRowTexts, fieldsOf } from '../../orders/row-texts.ts';
import type { RawBytes, ShardContext } from './shard-context.ts';

/** Bytes shown of an element that is too long to hold in memory. */
const shownBytes = 64 << 10;
const lineFeed = 0x0a;
const separator = Buffer.from(',');
const closing = Buffer.from('\n]\n');

/** The bytes of a part of an array: all of them, or the beginning of one element that is over the limit. */
type ArrayPart = { bytes: Uint8Array; from: number; to: number; elements: ArrayElement[]; end: ArrayEnd };

/**
 * Processes the elements of a JSON array of objects, or those in the piece's range. What is written stays an array, and
 * all unchanged elements keep their bytes.
 */
export function processArray(
  context: ShardContext,
  piece: PlacedPiece,
  index: number,
  { layout, read }: { layout: TableLayout; read: ReadAt },
): PieceRead {
  const { rowOutput } = context;
  const { recipe, limits } = context.job;
  const { path, sizeBytes, packed } = piece;
  const part = readPart(piece, layout, limits.maxRowBytes, read);
  const { bytes, from, to, elements, end } = part;
  const held = (start: number, stop: number): Uint8Array => bytes.subarray(start - from, stop - from);
  const elementRows = openElements(part, layout, limits.maxRowBytes);
  const rows = recipe.output?.format === 'PARQUET' ? writableRows(elementRows) : elementRows;
  const rowTexts = createRowTexts(fieldsOf(recipe, path));
  const isTextOnly = [...context.parts].every((one) => one === 'text');
  const filter = createRowFilter(recipe);
  const picks = createRowPicks(piece);
  const outputStart = context.bytes.length;
  const isFirstPart = from === 0;
  let row = 0;
  let passed = 0;
  let line = 0;
  let lineAt = from;
  let isUntouched = true;
  /** Bytes of the separator before the first element written; undefined while there is none. */
  let lead: number | undefined;

  function countLines(until: number): void {
    line += countLineFeeds(read, { bytes, from }, lineAt, until);
    lineAt = until;
  }

  function countedLines(): number {
    countLines(to);
    return line;
  }

  function emit(between: Uint8Array, element: Uint8Array): void {
    if (rowOutput !== undefined) {
      rowOutput.append(element);
      return;
    }
    // The first element of the file has no separator before it; for a later part, the join decides.
    if (lead === undefined && isFirstPart) lead = 0;
    else {
      lead ??= between.length;
      context.bytes.append(between);
    }
    context.bytes.append(element);
  }

  function emitNew(element: ArrayElement, outputs: readonly Uint8Array[]): void {
    const own = held(element.lead, element.start);
    for (const output of outputs) emit(own.length > 0 ? own : separator, output);
  }

  const headEnd = elements[0]?.start ?? end.closedAt ?? end.broken?.from ?? to;
  if (isFirstPart && rowOutput === undefined) context.bytes.append(held(0, headEnd));
  // A row of another format must be readable.
  const canKeep = (one: RowPart): boolean => rowOutput === undefined || rows.open(one) === undefined;
  for (const element of elements) {
    const rowPart: RowPart = {
      kind: 'row',
      start: element.start - from,
      end: element.end - from,
      next: element.end - from,
    };
    const isHeld = element.end - from <= bytes.length;
    countLines(element.start);
    if (picks?.takes(element.start) === false) {
      isUntouched = false;
      passed += 1;
      row += 1;
      continue;
    }
    let places: Parameters<typeof refusalOf>[3] | undefined;
    const keep = (): void => {
      if (isHeld) emit(held(element.lead, element.start), held(element.start, element.end));
    };
    context.sample({
      piece: index,
      row,
      line,
      ...(filter === undefined
        ? {}
        : {
            skip: () => {
              const reason = rows.open(rowPart) === undefined ? filter.whyNot(rows, rowPart) : undefined;
              if (reason !== undefined) isUntouched = false;
              return reason;
            },
          }),
      read: () => {
        places = undefined;
        const found = readSample(rows, rowPart, { field: layout.field, rowTexts, isTextOnly });
        if (!('problem' in found)) ({ places } = found);
        return found;
      },
      raw: () => rawOf(rows, rowPart),
      refuse: (judgement) =>
        places === undefined ? undefined : refusalOf(rows, rowPart, outputsOf(judgement, rowTexts), places),
      write: ({ verdict, texts, written }) => {
        if (verdict === 'KEPT' || (verdict === 'FAILED' && recipe.onError === 'KEEP' && isHeld && canKeep(rowPart))) {
          keep();
          return 1;
        }
        isUntouched = false;
        const outputs = places === undefined ? texts : outputsOf({ texts, written }, rowTexts);
        for (const output of outputs) {
          const bytesOfOutput =
            typeof output === 'string' ? rows.splice(rowPart, output) : replaced(rows, rowPart, output, places ?? []);
          emitNew(element, [bytesOfOutput]);
        }
        return outputs.length;
      },
    });
    row += 1;
  }

  const last = elements.at(-1)?.end ?? (isFirstPart ? headEnd : from);
  const { broken, closedAt } = end;
  const cut = packed === undefined ? undefined : problemIn(packed);
  const isPicked = (place: number): boolean => picks === undefined || picks.takes(place);
  if (broken !== undefined && packed?.isCut !== true) {
    isUntouched = false;
    countLines(broken.from);
    const why = arrayProblem(broken.problem);
    const problem = cut ?? inputProblems.NO_ARRAY_FROM.reason({ why, position: broken.from });
    if (isPicked(broken.from)) {
      context.sample({
        piece: index,
        row,
        line,
        read: () => ({ problem, isUnread: true }),
        write: () => 0,
        raw: () => restOf(part, broken.from),
      });
    }
  } else if (cut !== undefined && to === sizeBytes && isPicked(sizeBytes)) {
    const read = (): { problem: Reason } => ({ problem: cut });
    context.sample({ piece: index, row: null, isEndOfTable: true, read, write: () => 0 });
  }
  picks?.finish();
  if (rowOutput !== undefined) return { lineEnds: countedLines(), passed, outputs: [] };
  if (closedAt !== undefined) context.bytes.append(held(last, broken?.from ?? to));
  else if (broken !== undefined && layout.arrayEnd?.closedAt === undefined) context.bytes.append(closing);
  const lineEnds = countedLines();

  const led = elements.length === 0 || lead === undefined ? {} : { lead };
  if (isUntouched) return { lineEnds, passed, outputs: [{ path, from: 'source', start: from, end: to, ...led }] };
  const outputEnd = context.bytes.length;
  return { lineEnds, passed, outputs: [{ path, from: 'result', start: outputStart, end: outputEnd, ...led }] };
}

function readPart(piece: PlacedPiece, layout: TableLayout, maxRowBytes: number, read: ReadAt): ArrayPart {
  const { sizeBytes, layout: known } = piece;
  const { markBytes, arrayEnd } = layout;
  const asked = piece.range ?? { from: 0, to: sizeBytes };
  const isWhole = asked.from === 0 && asked.to === sizeBytes;
  const { from, to } = known !== undefined || isWhole ? asked : findElementRange(read, asked, { sizeBytes, markBytes });
  const elements: ArrayElement[] = [];
  const add = (element: ArrayElement): void => {
    elements.push(element);
  };
  const isLong = to - from > 2 * maxRowBytes;
  const bytes = Buffer.alloc(isLong ? shownBytes : to - from);
  readFully(read, bytes, from);
  // Everything after a syntax error is a part of its own.
  if (arrayEnd?.broken?.from === from) return { bytes, from, to, elements, end: endIn(arrayEnd, from, to) };
  const scanner = createArrayScanner(from, markBytes);
  const scanned = isLong ? scanArray(read, { from, to, sizeBytes, markBytes }, add) : undefined;
  if (!isLong) scanner.push(bytes, add);
  const end = scanned ?? scanner.end(to === sizeBytes);
  return { bytes, from, to, elements, end: arrayEnd === undefined ? end : endIn(arrayEnd, from, to) };
}

/** The end of the array, as far as it is in `[from, to)`. */
function endIn({ closedAt, broken }: ArrayEnd, from: number, to: number): ArrayEnd {
  const isIn = (at: number | undefined): boolean => at !== undefined && at >= from && at < to;
  return { closedAt: isIn(closedAt) ? closedAt : undefined, broken: isIn(broken?.from) ? broken : undefined };
}

function openElements({ bytes, from, to, elements }: ArrayPart, layout: TableLayout, maxRowBytes: number): TableRows {
  const long = elements.find(({ end }) => end - from > bytes.length);
  const tooLong = long === undefined ? undefined : { start: long.start - from, lengthBytes: long.end - long.start };
  const block: LineBlock = { bytes, start: from, end: to, tooLong };
  return openRows(block, layout, maxRowBytes);
}

function rawOf(rows: TableRows, part: RowPart): RawBytes {
  const { start, lengthBytes } = rows.placeOf(part);
  const shown = rows.show(part);
  if (!rows.isHeld(part)) return { held: 'range', start, lengthBytes, shown };
  return { held: rows.source(part.start, part.end), start, lengthBytes, shown };
}

/** The bytes from a syntax error on, which are no longer part of the array. */
function restOf({ bytes, from, to }: ArrayPart, start: number): RawBytes {
  const shown = Buffer.from(bytes.subarray(start - from)).toString('utf8');
  const isHeld = to - from === bytes.length;
  return { held: isHeld ? bytes.subarray(start - from) : 'range', start, lengthBytes: to - start, shown };
}

/** Counts line feeds in `[from, to)` of the file, in memory as far as it is held there. */
function countLineFeeds(read: ReadAt, held: { bytes: Uint8Array; from: number }, from: number, to: number): number {
  let count = 0;
  const countIn = (bytes: Uint8Array): void => {
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count += 1;
  };
  const heldEnd = held.from + held.bytes.length;
  countIn(held.bytes.subarray(from - held.from, Math.min(to, heldEnd) - held.from));
  const block = Buffer.alloc(Math.min(1 << 20, Math.max(0, to - Math.max(from, heldEnd))));
  for (let at = Math.max(from, heldEnd); at < to; at += block.length) {
    const bytes = block.subarray(0, Math.min(block.length, to - at));
    readFully(read, bytes, at);
    countIn(bytes);
  }
  return count;
}
