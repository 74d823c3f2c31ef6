import { chunkRange, chunksOf } from './chunk-plan.ts';
import type { UploadFile } from './upload-file.ts';

/** A chunk of a file. */
export type Piece = { file: UploadFile; chunkNo: number };

/** What one request carries: a chunk, or small files that are one chunk each. */
export type Flight = { pieces: readonly Piece[]; bytes: number; flownBytes: number };

/** What is to be sent yet, in the order in which it goes. */
export type FlightPlan = {
  /** These chunks of a file have to be sent. */
  expect(file: UploadFile, chunks: readonly { from: number; to: number }[]): void;
  forget(file: UploadFile): void;
  /** From now on goes what these files have left. */
  begin(files: readonly UploadFile[]): void;
  take(): Flight | undefined;
  /** A flight that came back goes next. */
  takeAgain(flight: Flight): void;
  flightOf(pieces: readonly Piece[]): Flight;
};

const mostGroupFiles = 200;
const mostGroupBytes = 4 * 1024 * 1024;

/** Plans the requests of an upload; files of up to `smallBytes` go many at a time. */
export function createFlightPlan({
  chunkBytes,
  smallBytes,
}: {
  chunkBytes: number;
  /** Negative: every file goes alone. */
  smallBytes: number;
}): FlightPlan {
  /** Chunks of each unfinished file that nobody has taken yet. */
  const left = new Map<UploadFile, Generator<number>>();
  const again: Flight[] = [];
  let queue: readonly UploadFile[] = [];
  let cursor = 0;

  function isSmall({ sizeBytes }: UploadFile): boolean {
    return sizeBytes <= Math.min(smallBytes, chunkBytes);
  }

  /** The next chunk that nobody has taken; of small files only, if asked so. */
  function takePiece(onlySmall: boolean): Piece | undefined {
    for (; cursor < queue.length; cursor += 1) {
      const file = queue[cursor];
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

  function flightOf(pieces: readonly Piece[]): Flight {
    return { pieces, bytes: pieces.reduce((sum, piece) => sum + sizeOf(piece), 0), flownBytes: 0 };
  }

  return {
    flightOf,
    expect: (file, chunks) => void left.set(file, chunksOf(chunks)),
    forget: (file) => void left.delete(file),
    begin(files) {
      // Files that go together come first, so that large ones among them don't part them.
      queue = [...files.filter(isSmall), ...files.filter((file) => !isSmall(file))];
      cursor = 0;
    },
    takeAgain: (flight) => void again.push(flight),
    take() {
      const repeated = again.pop();
      if (repeated !== undefined) return flightOf(repeated.pieces);
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
      return flightOf(pieces);
    },
  };
}
