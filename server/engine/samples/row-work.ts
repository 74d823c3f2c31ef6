import { encodeText } from '../../tables/encoder.ts';
import { createBlockMemory, readLines, readRows, type LineBlock, type ReadAt } from '../../tables/lines.ts';
import { findRowStarts, needsRowScan, type RowScan } from '../../tables/row-boundaries.ts';
import type { RowFormat, TableLayout } from '../../tables/table-layout.ts';
import { openRows, type RowPart, type TableRows } from '../../tables/table-rows.ts';
import { processDocument } from './document-work.ts';
import { rawLine } from '../ledger/ledger.ts';
import type { PieceOutput, PlacedPiece, ShardLimits } from '../shards/shard.ts';
import type { ShardContext } from './shard-context.ts';
import type { Judgement } from './chain.ts';
import { changesOf, rowSource, textColumnsOf } from './row-parts.ts';
import { createRowTexts, fieldsOf, type RowTexts } from './row-texts.ts';
import type { WrittenParts } from './sample-parts.ts';
import type { FieldText } from '../../tables/field-paths.ts';
import { layoutOf } from './table-scan.ts';

/** The rows of a table, or of those that start in the piece's byte range. A file keeps its encoding, and all untouched bytes. */
export function processRows(
  context: ShardContext,
  piece: PlacedPiece,
  index: number,
  { format, read }: { format: RowFormat; read: ReadAt },
): PieceOutput[] {
  const { recipe, limits } = context.job;
  const { path, sizeBytes } = piece;
  const fields = fieldsOf(recipe, path);
  const layout =
    piece.layout ??
    layoutOf({ path, sizeBytes, format, field: fields?.[0] ?? null, encoding: recipe.encoding ?? null }, read);
  if ('problem' in layout) {
    // What is no table is one failed sample, also where its parts are worked on apart.
    return piece.range === undefined || piece.range.from === 0 ? processDocument(context, piece, index, layout) : [];
  }
  const writer = createRowWriter(context, piece, index, createRowTexts(fields));
  for (const { block, isOnly } of readBlocks(piece, layout, limits, read)) {
    writer.write({ block, layout, isOnly, rows: openRows(block, layout, limits.maxRowBytes) });
  }
  return writer.outputs();
}

type Range = { from: number; to: number };

/** Some rows of a piece; `isOnly` when there are no others. */
type Block = { block: LineBlock; isOnly: boolean };

type OpenedRows = Block & { layout: TableLayout; rows: TableRows };

function createRowWriter(
  context: ShardContext,
  piece: PlacedPiece,
  index: number,
  rowTexts: RowTexts | undefined,
): { write: (opened: OpenedRows) => void; outputs: () => PieceOutput[] } {
  const { recipe } = context.job;
  const isTextOnly = [...context.parts].every((part) => part === 'text');
  const outputStart = context.bytes.length;
  let row = 0;
  let unchanged: LineBlock | undefined;

  function write({ block, layout, isOnly, rows }: OpenedRows): void {
    const newline = encodeText(layout.newline, layout.encoding) ?? Buffer.from(layout.newline);
    // Unchanged bytes are copied in runs: from here on they still wait.
    let waiting = 0;
    let untouched = isOnly;
    // Of the row that is read: where its texts stand, when paths lead to them.
    let places: readonly FieldText[] | undefined;
    const flushUntil = (end: number): void => {
      if (end > waiting) context.bytes.append(rows.source(waiting, end));
    };
    for (const part of rows.parts()) {
      if (part.kind === 'filler') continue;
      context.sample({
        piece: index,
        row,
        read: () => {
          places = undefined;
          const found = readSample(rows, part, { field: layout.field, rowTexts, isTextOnly });
          if (!('problem' in found)) ({ places } = found);
          return found;
        },
        refuse: (judgement) =>
          places === undefined
            ? rows.refuse?.(judgement.texts)
            : refusalOf(rows, part, outputsOf(judgement, rowTexts), places),
        write: ({ verdict, texts, written }, unread) => {
          // What can't be read is never written; its text stands in the ledger.
          const asItCame = verdict === 'KEPT' || (verdict === 'FAILED' && recipe.onError === 'KEEP' && !unread);
          if (asItCame) return 1;
          flushUntil(part.start);
          waiting = part.next;
          untouched = false;
          const lineEnd = rows.lineEnd(part);
          const outputs = places === undefined ? texts : outputsOf({ texts, written }, rowTexts);
          for (const [number, output] of outputs.entries()) {
            context.bytes.append(
              typeof output === 'string' ? rows.splice(part, output) : replaced(rows, part, output, places ?? []),
            );
            const isLast = number === outputs.length - 1;
            context.bytes.append(isLast || lineEnd.length > 0 ? lineEnd : newline);
          }
          return outputs.length;
        },
      });
      row += 1;
    }
    if (untouched) unchanged = block;
    else flushUntil(rows.length);
  }

  return {
    write,
    outputs() {
      const { path } = piece;
      if (unchanged !== undefined) return [{ path, from: 'source', start: unchanged.start, end: unchanged.end }];
      return [{ path, from: 'result', start: outputStart, end: context.bytes.length }];
    },
  };
}

type SampleRead = ReturnType<Parameters<ShardContext['sample']>[0]['read']> & { places?: readonly FieldText[] };

/** A row as a sample. `places`: where its texts stand, where more than the text of its one column may be written. */
function readSample(
  rows: TableRows,
  part: RowPart,
  { field, rowTexts, isTextOnly }: { field: string; rowTexts: RowTexts | undefined; isTextOnly: boolean },
): SampleRead {
  if (rowTexts === undefined) {
    const found = rows.read(part);
    if ('problem' in found) return problemOf(rows, part, found);
    if (isTextOnly) return found;
    const places = [{ field, path: [field], text: found.text }];
    return { ...found, places, source: rowSource(() => rows.values(part), [field]) };
  }
  const unread = rows.open(part);
  if (unread !== undefined) return problemOf(rows, part, unread);
  const places = rowTexts.find(rows.values(part));
  if ('problem' in places) return places;
  const source = isTextOnly ? {} : { source: rowSource(() => rows.values(part), textColumnsOf(places)) };
  if (rowTexts.isSeveral) return { texts: places, places, ...source };
  return { text: places[0]?.text ?? '', places, ...source };
}

function problemOf(
  rows: TableRows,
  part: RowPart,
  { problem, isUnread }: { problem: string; isUnread: boolean },
): SampleRead {
  return isUnread ? { problem, raw: rawOf(rows, part) } : { problem };
}

type RowOutput = { texts: readonly string[]; written: WrittenParts | undefined };

/** The rows that take the place of one: one with all its texts, or one for each part of its only text. */
function outputsOf(
  { texts, written }: Pick<Judgement, 'texts'> & { written?: Judgement['written'] | undefined },
  rowTexts: RowTexts | undefined,
): RowOutput[] {
  if (texts.length === 0) return [];
  if (rowTexts?.isSeveral === true) return [{ texts, written: written?.[0] }];
  return texts.map((text, index) => ({ texts: [text], written: written?.[index] }));
}

/** Why the row can't hold what steps wrote. */
function refusalOf(
  rows: TableRows,
  part: RowPart,
  outputs: readonly RowOutput[],
  places: readonly FieldText[],
): string | undefined {
  const row = rows.values(part);
  for (const output of outputs) {
    const changes = changesOf(row, places, output);
    const problem = 'problem' in changes ? changes.problem : rows.refuseValues(changes);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function replaced(rows: TableRows, part: RowPart, output: RowOutput, places: readonly FieldText[]): Uint8Array {
  const changes = changesOf(rows.values(part), places, output);
  if ('problem' in changes) throw new Error(changes.problem);
  return rows.replace(part, changes);
}

function rawOf(rows: TableRows, part: RowPart): ReturnType<typeof rawLine> {
  const { start, lengthBytes } = rows.placeOf(part);
  return rawLine(rows.show(part), start, lengthBytes);
}

/** Of this thread, which works on one block at a time. */
const blockMemory = createBlockMemory();

/** The bytes of the rows that start in the piece's range. */
function* readBlocks(
  piece: PlacedPiece,
  layout: TableLayout,
  { maxRowBytes }: ShardLimits,
  read: ReadAt,
): Generator<Block> {
  const { sizeBytes, range = { from: 0, to: sizeBytes } } = piece;
  const maxLineBytes = maxRowBytes;
  if (piece.range?.crc32 !== undefined) {
    yield { block: readRows(read, { ...range, maxLineBytes }, blockMemory), isOnly: true };
    return;
  }
  if (!needsRowScan(layout)) {
    yield { block: readLines(read, { ...range, sizeBytes, maxLineBytes }, blockMemory), isOnly: true };
    return;
  }
  const isKnown = piece.layout !== undefined || (range.from === 0 && range.to === sizeBytes);
  if (isKnown && (piece.layout !== undefined || sizeBytes <= 2 * maxRowBytes)) {
    yield { block: readRows(read, { ...range, maxLineBytes }, blockMemory), isOnly: true };
    return;
  }
  const scan = { encoding: layout.encoding, dialect: layout.delimited, sizeBytes, maxRowBytes };
  for (const known of scanRange(read, scan, range)) {
    yield { block: readRows(read, { ...known, maxLineBytes }), isOnly: false };
  }
}

/** Where nobody has looked yet where rows start: the rows that start in the range, in parts that `readRows` can hold. */
function* scanRange(read: ReadAt, scan: RowScan, range: Range): Generator<Range> {
  let from = range.from === 0 ? 0 : undefined;
  let before = 0;
  for (const start of findRowStarts(read, scan, 1)) {
    if (from === undefined) {
      if (start >= range.from) from = start;
    } else {
      // A row over the limit stands alone.
      if (start - before > scan.maxRowBytes && before > from) {
        yield { from, to: before };
        from = before;
      }
      if (start >= range.to || start - from >= scan.maxRowBytes) {
        yield { from, to: start };
        from = start;
      }
    }
    if (start >= range.to) return;
    before = start;
  }
  if (from === undefined || from >= range.to) return;
  if (scan.sizeBytes - before > scan.maxRowBytes && before > from) {
    yield { from, to: before };
    from = before;
  }
  yield { from, to: scan.sizeBytes };
}
