import { fileNameOf } from '../../../kernel/file-path.ts';
import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { encodeText } from '../../../tables/encoder.ts';
import { readFully, type LineBlock, type ReadAt } from '../../../tables/lines.ts';
import { noField, type RowFormat, type TableLayout } from '../../../tables/table-layout.ts';
import { openRows } from '../../../tables/block-rows.ts';
import type { RowPart, TableRows } from '../../../tables/table-rows.ts';
import { processDocument } from './document-work.ts';
import { type PieceOutput, type PieceRead, type PlacedPiece, problemIn } from '../../orders/shard.ts';
import type { RawBytes, ShardContext } from './shard-context.ts';
import { readBlocks, type RowBlock } from './row-blocks.ts';
import { createRowColumnsWriter } from './row-columns.ts';
import { outputsOf, readSample, refusalOf, rowChanges } from './row-sample.ts';
import type { Judgement } from './chain.ts';
import { findUnfitNames, writeRows } from './row-lines.ts';
import type { RowResult } from './row-sample.ts';
import { createRowFilter } from '../../orders/row-filter.ts';
import { createRowPicks } from './row-picks.ts';
import { createRowTexts, fieldsOf, type RowTexts } from '../../orders/row-texts.ts';
import { writableRows } from './writable-rows.ts';
import { processArray } from './array-work.ts';
import type { FieldText } from '../../../tables/field-paths.ts';
import { layoutOf } from './table-scan.ts';

/**
 * Processes the rows of a table, or those that start in the piece's byte range. A file keeps its encoding and all
 * unchanged bytes.
 */
export function processRows(
  context: ShardContext,
  piece: PlacedPiece,
  index: number,
  { format, read }: { format: RowFormat; read: ReadAt },
): PieceRead {
  const { recipe, limits } = context.job;
  const { path, sizeBytes } = piece;
  const fields = fieldsOf(recipe, path);
  const layout =
    piece.layout ??
    layoutOf(
      {
        path,
        sizeBytes,
        format,
        field: fields?.[0] ?? null,
        mayLackText: recipe.mayLackText,
        encoding: recipe.encoding ?? null,
      },
      read,
    );
  if ('problem' in layout) {
    // A file that is not a table is one failed sample, even if its parts are processed separately.
    return piece.range === undefined || piece.range.from === 0
      ? { lineEnds: 0, passed: 0, outputs: processDocument(context, piece, index, layout) }
      : { lineEnds: 0, passed: 0, outputs: [] };
  }
  const { encoding, certainty } = layout;
  context.describe(index, {
    format,
    encoding,
    certainty,
    fields: fields ?? (layout.field === noField ? [] : [layout.field]),
  });
  const unfit = recipe.output === undefined ? undefined : findUnfitNames(layout);
  if (unfit !== undefined) {
    const isFirst = piece.range === undefined || piece.range.from === 0;
    const problem = inputProblems.UNSUPPORTED_BECAUSE.reason({ file: fileNameOf(path), why: unfit });
    return { lineEnds: 0, passed: 0, outputs: isFirst ? processDocument(context, piece, index, { problem }) : [] };
  }
  if (layout.isArray === true) return processArray(context, piece, index, { layout, read });
  const writer = createRowWriter(context, piece, index, { layout, read, rowTexts: createRowTexts(fields) });
  for (const { block, isOnly } of readBlocks(piece, layout, limits, read)) {
    const rows = openRows(block, layout, limits.maxRowBytes);
    const isParquet = recipe.output?.format === 'PARQUET' && layout.delimited === undefined;
    writer.write({ block, isOnly, rows: isParquet ? writableRows(rows) : rows });
  }
  return writer.result();
}

type OpenedRows = RowBlock & { rows: TableRows };

type RowWriter = { write: (opened: OpenedRows) => void; result: () => PieceRead };

function createRowWriter(
  context: ShardContext,
  piece: PlacedPiece,
  index: number,
  { layout, read, rowTexts }: { layout: TableLayout; read: ReadAt; rowTexts: RowTexts | undefined },
): RowWriter {
  const { recipe } = context.job;
  const { rowOutput } = context;
  const filter = createRowFilter(recipe);
  const picks = createRowPicks(piece);
  const isTextOnly = [...context.parts].every((part) => part === 'text');
  const { path } = piece;
  const outputs: PieceOutput[] = [];
  let outputStart = context.bytes.length;
  let row = 0;
  let line = 0;
  let passed = 0;
  let unchanged: LineBlock | undefined;
  // Truncated compressed data ends within a row, which must not count as a whole one.
  const cut = piece.packed === undefined ? undefined : problemIn(piece.packed);
  const isLastPart = piece.range === undefined || piece.range.to === piece.sizeBytes;
  const endsEarly = isLastPart ? cut : undefined;
  let isCutShown = false;
  // Under these conditions a row is written from its bytes and the new text alone.
  const isReadOnce =
    isTextOnly &&
    rowTexts === undefined &&
    layout.field !== noField &&
    layout.delimited === undefined &&
    layout.encoding === 'utf-8' &&
    rowOutput === undefined;

  const { from, to } = piece.range ?? { from: 0, to: piece.sizeBytes };
  const mayChangeColumns = layout.delimited !== undefined && rowOutput === undefined && context.writesColumns === true;
  const columns = mayChangeColumns
    ? createRowColumnsWriter(context.bytes, {
        layout,
        isWhole: from === 0 && to === piece.sizeBytes,
        isFileStart: from === 0,
      })
    : undefined;

  /** Ends the current output with the bytes written so far. */
  function cutOutput(): void {
    const shaped = columns?.finish();
    const end = context.bytes.length;
    if (end > outputStart) outputs.push({ path, from: 'result', start: outputStart, end, ...shaped });
    outputStart = end;
  }

  function write({ block, isOnly, rows }: OpenedRows): void {
    const becomesJson = rowOutput !== undefined && layout.delimited !== undefined;
    const newline = encodeText(layout.newline, layout.encoding) ?? Buffer.from(layout.newline);
    // Unchanged bytes are copied in runs; those from `waiting` on are not copied yet.
    let waiting = 0;
    let untouched = isOnly;
    // The paths of the current row's texts, if texts are found by paths.
    let places: readonly FieldText[] | undefined;
    let keptLong: RowPart | undefined;
    const flushUntil = (end: number): void => {
      if (end > waiting && rowOutput === undefined) context.bytes.append(rows.source(waiting, end));
    };
    const leaveOut = (part: RowPart): void => {
      flushUntil(part.start);
      waiting = part.next;
      untouched = false;
    };
    const flushBefore = (part: RowPart): void => {
      flushUntil(part.start);
      waiting = Math.max(waiting, part.start);
    };
    const judge = (part: RowPart): void => {
      const rowOf = (output: RowResult): Uint8Array => {
        const changes = rowChanges(rows, part, output, places ?? []);
        columns?.begin(changes, () => {});
        const row = rows.replace(part, changes);
        return columns === undefined ? row : columns.place(row);
      };
      const isCut = endsEarly !== undefined && rows.endsFile(part);
      context.sample({
        piece: index,
        row,
        line,
        isCut,
        ...(filter === undefined
          ? {}
          : {
              skip: () => {
                // Conditions can't be checked on an unreadable row: it fails.
                const reason = rows.open(part) === undefined ? filter.whyNot(rows, part) : undefined;
                if (reason !== undefined) leaveOut(part);
                return reason;
              },
            }),
        read: () => {
          places = undefined;
          if (isCut) {
            isCutShown = true;
            return { problem: endsEarly, isUnread: true };
          }
          const found = readSample(rows, part, { field: layout.field, rowTexts, isTextOnly });
          if (!('problem' in found)) ({ places } = found);
          return found;
        },
        isReadOnce,
        raw: () => rawOf(rows, part, layout, read),
        refuse: (judgement) =>
          places === undefined
            ? becomesJson
              ? undefined
              : rows.refuse?.(judgement.texts)
            : refusalOf(rows, part, outputsOf(judgement, rowTexts), places, becomesJson),
        write: ({ verdict, texts, written }) => {
          if (rowOutput !== undefined) {
            const outputs = places === undefined ? texts : outputsOf({ texts, written }, rowTexts);
            const shown = { rows, part, layout, places: places ?? [], isKept: isKeptRow(verdict, rows, part) };
            return writeRows(rowOutput, shown, outputs);
          }
          // A row can be converted to other columns only if it is readable.
          const mayStand = (): boolean =>
            columns === undefined ? rows.standsAlone(part) : rows.open(part) === undefined;
          const isKept = verdict === 'FAILED' && recipe.onError === 'KEEP' && mayStand();
          if (isKept && !rows.isHeld(part)) keptLong = part;
          const isUnchanged = verdict === 'KEPT' || isKept;
          if (isUnchanged) {
            columns?.begin([], () => {
              flushBefore(part);
            });
            if (columns === undefined || columns.isSource) return 1;
          }
          leaveOut(part);
          const lineEnd = rows.lineEnd(part);
          if (isUnchanged && columns !== undefined) {
            context.bytes.append(columns.place(rows.source(part.start, part.end)));
            context.bytes.append(lineEnd);
            return 1;
          }
          const outputs = places === undefined ? texts : outputsOf({ texts, written }, rowTexts);
          for (const [number, output] of outputs.entries()) {
            context.bytes.append(typeof output === 'string' ? rows.splice(part, output) : rowOf(output));
            const isLast = number === outputs.length - 1;
            context.bytes.append(isLast || lineEnd.length > 0 ? lineEnd : newline);
          }
          return outputs.length;
        },
      });
    };
    for (const part of rows.parts()) {
      if (part.kind === 'filler') {
        // If only some rows are samples, the header stays, but blank lines are left out.
        if (picks !== undefined && (block.start > 0 || row > 0)) leaveOut(part);
        line += rows.lineEnds(part);
        continue;
      }
      // A preview may read only the beginning of a file, whose last row may then be incomplete.
      if (piece.packed?.isCut === true && rows.endsFile(part)) continue;
      if (picks === undefined || picks.takes(rows.placeOf(part).start)) judge(part);
      else {
        leaveOut(part);
        passed += 1;
      }
      row += 1;
      line += rows.isHeld(part) ? rows.lineEnds(part) : countLineEnds(read, rows.placeOf(part), layout);
    }
    if (rowOutput !== undefined) return;
    if (untouched) {
      unchanged = block;
    } else if (keptLong === undefined) {
      flushUntil(rows.length);
    } else {
      // A row that is only partly in memory is the last one; its bytes are copied from the file.
      flushUntil(keptLong.start);
      cutOutput();
      const { start, lengthBytes } = rows.placeOf(keptLong);
      outputs.push({ path, from: 'source', start, end: start + lengthBytes });
    }
  }

  /** Whether a row is written unchanged. */
  function isKeptRow(verdict: Judgement['verdict'], rows: TableRows, part: RowPart): boolean {
    return verdict === 'KEPT' || (verdict === 'FAILED' && recipe.onError === 'KEEP' && rows.open(part) === undefined);
  }

  return {
    write,
    result() {
      if (endsEarly !== undefined && !isCutShown && (picks === undefined || picks.takes(piece.sizeBytes))) {
        const read = (): { problem: Reason } => ({ problem: endsEarly });
        context.sample({ piece: index, row: null, isEndOfTable: true, read, write: () => 0 });
      }
      picks?.finish();
      if (rowOutput !== undefined) return { lineEnds: line, passed, outputs: [] };
      if (unchanged !== undefined) {
        return {
          lineEnds: line,
          passed,
          outputs: [{ path, from: 'source', start: unchanged.start, end: unchanged.end }],
        };
      }
      cutOutput();
      // A table without remaining rows becomes an empty file.
      if (outputs.length === 0) outputs.push({ path, from: 'result', start: outputStart, end: outputStart });
      return { lineEnds: line, passed, outputs };
    },
  };
}

function rawOf(rows: TableRows, part: RowPart, layout: TableLayout, read: ReadAt): RawBytes {
  const { start, lengthBytes } = rows.placeOf(part);
  const shown = rows.show(part);
  if (!rows.isHeld(part)) {
    return { held: 'range', start, lengthBytes: lengthBytes - lineEndBytes(read, start + lengthBytes, layout), shown };
  }
  return { held: rows.source(part.start, part.next).subarray(0, lengthBytes), start, lengthBytes, shown };
}

/** Number of bytes of the line end, if any, after a row that ends at `end`. */
function lineEndBytes(read: ReadAt, end: number, { encoding, delimited }: TableLayout): number {
  const unitBytes = encoding.startsWith('utf-16') ? 2 : 1;
  const last = new Uint8Array(2 * unitBytes);
  readFully(read, last, end - last.length);
  const low = encoding === 'utf-16be' ? 1 : 0;
  if (last[unitBytes + low] !== (delimited?.lineEnd ?? 0x0a)) return 0;
  return last[unitBytes + low] === 0x0a && last[low] === 0x0d ? 2 * unitBytes : unitBytes;
}

/** Counts line ends in a range that is too long to hold in memory. */
function countLineEnds(
  read: ReadAt,
  { start, lengthBytes }: { start: number; lengthBytes: number },
  { encoding, delimited }: TableLayout,
): number {
  const isWide = encoding.startsWith('utf-16');
  const block = Buffer.alloc(1 << 20);
  const lineEnd = delimited?.lineEnd ?? 0x0a;
  let count = 0;
  for (let from = 0; from < lengthBytes; from += block.length) {
    const bytes = block.subarray(0, Math.min(block.length, lengthBytes - from));
    readFully(read, bytes, start + from);
    for (let at = bytes.indexOf(lineEnd); at !== -1; at = bytes.indexOf(lineEnd, at + 1)) {
      const other = encoding === 'utf-16be' ? at - 1 : at + 1;
      if (!isWide || (at % 2 === (encoding === 'utf-16be' ? 1 : 0) && bytes[other] === 0)) count += 1;
    }
  }
  return count;
}
