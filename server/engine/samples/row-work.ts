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
import { changesOf, rowSource } from './row-parts.ts';
import type { SampleSource, WrittenParts } from './sample-parts.ts';
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
  const layout =
    piece.layout ??
    layoutOf({ path, sizeBytes, format, field: recipe.textField, encoding: recipe.encoding ?? null }, read);
  if ('problem' in layout) {
    // What is no table is one failed sample, also where its parts are worked on apart.
    return piece.range === undefined || piece.range.from === 0 ? processDocument(context, piece, index, layout) : [];
  }
  const writer = createRowWriter(context, piece, index);
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
    const flushUntil = (end: number): void => {
      if (end > waiting) context.bytes.append(rows.source(waiting, end));
    };
    for (const part of rows.parts()) {
      if (part.kind === 'filler') continue;
      context.sample({
        piece: index,
        row,
        read: () => {
          const found = rows.read(part);
          if ('text' in found) return isTextOnly ? found : { ...found, source: sourceOf(rows, part, layout) };
          return found.isUnread ? { problem: found.problem, raw: rawOf(rows, part) } : { problem: found.problem };
        },
        refuse: ({ texts, written }) =>
          written === undefined ? rows.refuse?.(texts) : refusalOf(rows, layout, part, { texts, written }),
        write: ({ verdict, texts, written }, unread) => {
          // What can't be read is never written; its text stands in the ledger.
          const asItCame = verdict === 'KEPT' || (verdict === 'FAILED' && recipe.onError === 'KEEP' && !unread);
          if (asItCame) return 1;
          flushUntil(part.start);
          waiting = part.next;
          untouched = false;
          const lineEnd = rows.lineEnd(part);
          for (const [number, text] of texts.entries()) {
            const spliced =
              written === undefined
                ? rows.splice(part, text)
                : replaced(rows, layout, part, { text, written: written[number] });
            context.bytes.append(spliced);
            const isLast = number === texts.length - 1;
            context.bytes.append(isLast || lineEnd.length > 0 ? lineEnd : newline);
          }
          return texts.length;
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

function sourceOf(rows: TableRows, part: RowPart, { field }: TableLayout): SampleSource {
  return rowSource(() => rows.values(part), field);
}

/** Why the row can't hold what steps wrote beside its text. */
function refusalOf(
  rows: TableRows,
  { field }: TableLayout,
  part: RowPart,
  { texts, written }: Pick<Judgement, 'texts'> & Required<Pick<Judgement, 'written'>>,
): string | undefined {
  const row = rows.values(part);
  for (const [index, text] of texts.entries()) {
    const changes = changesOf(row, field, { text, written: written[index] });
    const problem = 'problem' in changes ? changes.problem : rows.refuseValues(changes);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function replaced(
  rows: TableRows,
  { field }: TableLayout,
  part: RowPart,
  output: { text: string; written: WrittenParts | undefined },
): Uint8Array {
  const changes = changesOf(rows.values(part), field, output);
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
