import { chunkRange, chunksOf } from './chunk-plan.ts';
import type { UploadFile } from './upload-file.ts';

/** One chunk of one file. */
export type Piece = { file: UploadFile; chunkNo: number };

/** What one request carries: a chunk, or small files that are one chunk each. */
export type Transfer = { pieces: readonly Piece[]; bytes: number; sentBytes: number };

/** The transfers that remain, in sending order. */
export type TransferQueue = {
  /** Adds chunks of a file. */
  add(file: UploadFile, chunks: readonly { from: number; to: number }[]): void;
  remove(file: UploadFile): void;
  /** Starts over with the chunks that these files still lack. */
  restart(files: readonly UploadFile[]): void;
  next(): Transfer | undefined;
  /** Puts a failed transfer first. */
  requeue(transfer: Transfer): void;
  transferOf(pieces: readonly Piece[]): Transfer;
};

const mostGroupFiles = 200;
const mostGroupBytes = 4 * 1024 * 1024;

/** Plans the requests of an upload; files of up to `smallBytes` share a request. */
export function createTransferQueue({
  chunkBytes,
  smallBytes,
}: {
  chunkBytes: number;
  /** Negative: every file gets a request of its own. */
  smallBytes: number;
}): TransferQueue {
  /** Chunks of each unfinished file that are not in a transfer yet. */
  const left = new Map<UploadFile, Generator<number>>();
  const failed: Transfer[] = [];
  let files: readonly UploadFile[] = [];
  let cursor = 0;

  function isSmall({ sizeBytes }: UploadFile): boolean {
    return sizeBytes <= Math.min(smallBytes, chunkBytes);
  }

  /** The next chunk to send; with `onlySmall`, undefined if the next file is large. */
  function takePiece(onlySmall: boolean): Piece | undefined {
    for (; cursor < files.length; cursor += 1) {
      const file = files[cursor];
      if (file === undefined || file.file === undefined || file.state === 'done' || file.state === 'failed') continue;
      if (onlySmall && !isSmall(file)) return undefined;
      const next = left.get(file)?.next();
      if (next !== undefined && next.done !== true) return { file, chunkNo: next.value };
    }
    return undefined;
  }

  function sizeOf({ file, chunkNo }: Piece): number {
    const { from, to } = chunkRange(chunkNo, file.sizeBytes, chunkBytes);
    return to - from;
  }

  function transferOf(pieces: readonly Piece[]): Transfer {
    return { pieces, bytes: pieces.reduce((sum, piece) => sum + sizeOf(piece), 0), sentBytes: 0 };
  }

  return {
    transferOf,
    add: (file, chunks) => void left.set(file, chunksOf(chunks)),
    remove: (file) => void left.delete(file),
    restart(unfinished) {
      // Small files come first, so that no large one splits a group of them.
      files = [...unfinished.filter(isSmall), ...unfinished.filter((file) => !isSmall(file))];
      cursor = 0;
    },
    requeue: (transfer) => void failed.push(transfer),
    next() {
      const repeated = failed.pop();
      if (repeated !== undefined) return transferOf(repeated.pieces);
      const first = takePiece(false);
      if (first === undefined) return undefined;
      const pieces = [first];
      let bytes = sizeOf(first);
      while (isSmall(first.file) && pieces.length < mostGroupFiles && bytes < mostGroupBytes) {
        const next = takePiece(true);
        if (next === undefined) break;
        pieces.push(next);
        bytes += sizeOf(next);
      }
      return transferOf(pieces);
    },
  };
}
