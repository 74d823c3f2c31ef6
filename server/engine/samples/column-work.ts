import { readLines, type ReadAt } from '../../tables/lines.ts';
import { createRowPicks } from './row-picks.ts';
import type { SampleSource } from './sample-parts.ts';
import type { RawBytes, ShardContext } from './shard-context.ts';
import type { PieceResult, PlacedPiece } from '../shards/shard.ts';

const lineFeed = 0x0a;
const blockBytes = 4 << 20;

/** The result for one row: null if it is unchanged, otherwise the texts of the rows that replace it. */
type RowTexts = { t: readonly string[] | null };

const removedRow = Buffer.from('{"t":[]}\n');

const otherColumns = 'steps can read and write the text of a Parquet file, not its other columns';

function refuseColumns(): never {
  throw new Error(otherColumns);
}

const noColumns: SampleSource = { fields: refuseColumns, messages: refuseColumns };

/**
 * Processes the rows of a column that was extracted as JSON Lines `{"t":…}`. The output has one line per row with its
 * new texts; the file is rewritten from these when all its parts are done. A part without changes has no output.
 */
export function processColumn(
  context: ShardContext,
  piece: PlacedPiece,
  index: number,
  read: ReadAt,
): Omit<PieceResult, 'rows'> {
  const { recipe, limits } = context.job;
  const { path, sizeBytes, column } = piece;
  const outputStart = context.bytes.length;
  const isTextOnly = [...context.parts].every((part) => part === 'text');
  let isUntouched = true;
  const picks = createRowPicks(piece);
  let row = 0;
  let passed = 0;

  function bring(line: Uint8Array, read: () => { text: string } | { problem: string }): void {
    context.sample({
      piece: index,
      row,
      read: () => {
        const found = read();
        return 'text' in found && !isTextOnly ? { ...found, source: noColumns } : found;
      },
      raw: () => rawCell(line, column?.name ?? ''),
      refuse: ({ written }) => (written === undefined ? undefined : otherColumns),
      write({ verdict, texts }) {
        const asItCame = verdict === 'KEPT' || (verdict === 'FAILED' && recipe.onError === 'KEEP');
        // Replacement texts must be valid UTF-8, which a lone surrogate is not.
        const changed: RowTexts = { t: asItCame ? null : texts.map((text) => text.toWellFormed()) };
        if (!asItCame) isUntouched = false;
        context.bytes.append(Buffer.from(`${JSON.stringify(changed)}\n`));
        return asItCame ? 1 : texts.length;
      },
    });
    row += 1;
  }

  function leaveOut(): void {
    context.bytes.append(removedRow);
    isUntouched = false;
    passed += 1;
    row += 1;
  }

  for (let from = 0; from < sizeBytes; from += blockBytes) {
    const to = Math.min(from + blockBytes, sizeBytes);
    const { bytes, tooLong } = readLines(read, { from, to, sizeBytes, maxLineBytes: limits.maxRowBytes });
    for (let at = 0; at < bytes.length;) {
      const found = bytes.indexOf(lineFeed, at);
      const line = bytes.subarray(at, found === -1 ? bytes.length : found);
      const isTooLong = tooLong?.start === at;
      if (picks !== undefined && !picks.takes((column?.from ?? 0) + row)) {
        leaveOut();
        at += line.length + 1;
        continue;
      }
      bring(line, () => {
        if (isTooLong)
          return { problem: `the text of ${tooLong.lengthBytes} bytes is over the limit of ${limits.maxRowBytes}` };
        return textOf(line, column?.name ?? '');
      });
      at += line.length + 1;
    }
  }
  picks?.finish();
  const output = isUntouched
    ? { path, from: 'source' as const, start: 0, end: 0 }
    : { path, from: 'result' as const, start: outputStart, end: context.bytes.length };
  return { lineEnds: 0, passed, outputs: [output] };
}

/** A row of a columnar file has no bytes of its own: its text is set aside as JSON. */
function rawCell(line: Uint8Array, column: string): RawBytes {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
  const held = Buffer.from(text.replace(/^\{"t"/, () => `{${JSON.stringify(column)}`));
  return { held, start: 0, lengthBytes: held.length, shown: '' };
}

function textOf(line: Uint8Array, column: string): { text: string } | { problem: string } {
  const { t } = JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8')) as {
    t?: unknown;
  };
  return typeof t === 'string' ? { text: t } : { problem: `${JSON.stringify(column)} is null` };
}
