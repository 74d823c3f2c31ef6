import { firstRows, guessTextField, headBytes, parseRow, partsOf, spliceRow } from '../tables/jsonl.ts';
import { readFully, readLines, type ReadAt } from '../tables/lines.ts';
import { rawLine } from './ledger.ts';
import type { PieceOutput, PlacedPiece } from './shard.ts';
import type { Desk } from './desk.ts';
import { SetupError } from './setup-error.ts';

const lineFeed = Buffer.from('\n');

/** The rows of a JSONL file, or of those that start in the piece's byte range; untouched bytes stay to the byte. */
export function processRows(desk: Desk, piece: PlacedPiece, index: number, read: ReadAt): PieceOutput[] {
  const { treatment, limits } = desk.job;
  const { from, to } = piece.range ?? { from: 0, to: piece.sizeBytes };
  const block = readLines(read, { from, to, sizeBytes: piece.sizeBytes, maxLineBytes: limits.maxRowBytes });
  const field = treatment.textField ?? textFieldOf(piece, read);
  const { bytes, tooLong } = block;
  const outputStart = desk.bytes.length;
  // Unchanged bytes are copied in runs: from here on they still wait.
  let waiting = 0;
  let untouched = true;
  const flushUntil = (end: number): void => {
    if (end > waiting) desk.bytes.append(bytes.subarray(waiting, end));
  };
  let row = 0;
  for (const part of partsOf(bytes, block.start === 0)) {
    const isTooLong = tooLong !== undefined && part.start === tooLong.start;
    if (part.kind === 'filler' && !isTooLong) continue;
    const line = bytes.subarray(part.start, part.end);
    desk.sample({
      piece: index,
      row,
      read: () => {
        const raw = (): ReturnType<typeof rawLine> =>
          rawLine(line, block.start + part.start, isTooLong ? tooLong.lengthBytes : line.length);
        if (isTooLong) {
          const problem = `the line of ${tooLong.lengthBytes} bytes is over the limit of ${limits.maxRowBytes}`;
          return { problem, raw: raw() };
        }
        const parsed = parseRow(line);
        if (!parsed.ok) return { problem: parsed.reason, raw: raw() };
        const text = Object.hasOwn(parsed.row, field) ? parsed.row[field] : undefined;
        if (typeof text === 'string') return { text };
        return { problem: `${JSON.stringify(field)} ${text === undefined ? 'is missing' : 'is not a string'}` };
      },
      write: (judgement, unread) => {
        const { verdict, texts } = judgement;
        // What can't be read is never written; its text stands in the ledger.
        const asItCame = verdict === 'KEPT' || (verdict === 'FAILED' && treatment.onError === 'KEEP' && !unread);
        if (asItCame) return 1;
        flushUntil(part.start);
        waiting = part.next;
        untouched = false;
        const lineEnd = bytes.subarray(part.end, part.next);
        for (const [number, text] of texts.entries()) {
          desk.bytes.append(spliceRow(line, field, text));
          const isLast = number === texts.length - 1;
          desk.bytes.append(isLast || lineEnd.length > 0 ? lineEnd : lineFeed);
        }
        return texts.length;
      },
    });
    row += 1;
  }
  if (untouched) return [{ path: piece.path, from: 'source', start: block.start, end: block.end }];
  flushUntil(bytes.length);
  return [{ path: piece.path, from: 'result', start: outputStart, end: desk.bytes.length }];
}

/** The same for every part of a file, as it is told from the file's beginning. */
function textFieldOf(piece: PlacedPiece, read: ReadAt): string {
  const head = new Uint8Array(Math.min(piece.sizeBytes, headBytes));
  readFully(read, head, 0);
  const guess = guessTextField(firstRows(head, head.length === piece.sizeBytes, 100)) ?? { ok: true, field: 'text' };
  if (guess.ok) return guess.field;
  const found = guess.candidates.length === 0 ? 'it has no string column' : `it has ${guess.candidates.join(', ')}`;
  throw new SetupError(`${piece.path}: can't tell which column holds the text (${found}); set input.textField`);
}
