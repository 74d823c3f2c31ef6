import { createBlockMemory, readLines, readRows, type LineBlock, type ReadAt } from '../../../tables/lines.ts';
import { findRowStarts, needsRowScan, type RowScan } from '../../../tables/row-boundaries.ts';
import type { TableLayout } from '../../../tables/table-layout.ts';
import type { PlacedPiece, ShardLimits } from '../../orders/shard.ts';

type Range = { from: number; to: number };

/** Some rows of a piece; `isOnly` if they are all of its rows. */
export type RowBlock = { block: LineBlock; isOnly: boolean };

/** One per thread: a thread processes one block at a time. */
const blockMemory = createBlockMemory();

/** The bytes of the rows that start in the piece's range. */
export function* readBlocks(
  piece: PlacedPiece,
  layout: TableLayout,
  { maxRowBytes }: ShardLimits,
  read: ReadAt,
): Generator<RowBlock> {
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

/** The rows that start in a range whose row starts are not known yet, in parts small enough for `readRows`. */
function* scanRange(read: ReadAt, scan: RowScan, range: Range): Generator<Range> {
  let from = range.from === 0 ? 0 : undefined;
  let before = 0;
  for (const start of findRowStarts(read, scan, 1)) {
    if (from === undefined) {
      if (start >= range.from) from = start;
    } else {
      // A row over the limit is a part of its own.
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
