import type { BlobReads } from './blob-reader.ts';
import type { BlobRows } from './blob-rows.ts';
import { pieceBytes as poolPieceBytes } from './files/buffer-pool.ts';
import { crc32 } from '../../kernel/crc32.ts';
import { asStorageError, blobErrors } from './errors.ts';
import { isMissingFile, readAvailable, type FileOperations } from './files/file-operations.ts';
import { planLoads, type Load, type Part } from './assemblies/load-plan.ts';
import type { OpenFiles } from './files/open-files.ts';
import type { BlobRow } from './queries/blobs.ts';

export type BlobPiece = { index: number; bytes: Uint8Array; last: boolean };

/** Bytes per read call; `smallPieceBytes` applies when there are many streams. */
export type LoadSizes = { pieceBytes: number; smallPieceBytes: number };

/** Loads per stream: one is consumed while the others are read. */
const readAhead = 3;

/** Maximum bytes held by all streams together; beyond it, each stream reads small pieces, so that many slow readers stay cheap. */
const maxHeldBytes = 64 * 1024 * 1024;
const fileLoads: LoadSizes = { pieceBytes: poolPieceBytes, smallPieceBytes: 64 * 1024 };

const maxSpare = 8;

/** Streams many blobs in order; all streams of a store share their buffers. */
export type BlobStreams = {
  readAll(blobIds: Iterable<string> | AsyncIterable<string>): AsyncGenerator<BlobPiece, void, void>;
};

type Loading = { load: Load; buffer: Uint8Array; done: Promise<void> };

export function createBlobStreams(options: {
  rows: BlobRows;
  operations: FileOperations;
  openFiles: OpenFiles;
  reads: BlobReads;
  loads?: LoadSizes;
}): BlobStreams {
  const { rows, operations, openFiles, reads } = options;
  const { pieceBytes, smallPieceBytes } = options.loads ?? fileLoads;
  const spare: Uint8Array[] = [];
  let heldBytes = 0;

  function takeBuffer(length: number): Uint8Array {
    const buffer =
      length <= smallPieceBytes || length > pieceBytes
        ? Buffer.allocUnsafeSlow(length)
        : (spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes));
    heldBytes += buffer.length;
    return buffer;
  }

  function giveBuffer(buffer: Uint8Array): void {
    heldBytes -= buffer.length;
    if (buffer.length === pieceBytes && spare.length < maxSpare) spare.push(buffer);
  }

  const isCrowded = (): boolean => heldBytes > maxHeldBytes;

  async function readRange(path: string, target: Uint8Array, position: number): Promise<number> {
    const file = await openFiles.acquire(path);
    try {
      return await readAvailable(operations, file.fd, target, position);
    } finally {
      await file.release();
    }
  }

  /** Looks each part up again after the bytes were moved. */
  async function loadMoved(part: Part, row: BlobRow, target: Uint8Array): Promise<void> {
    const placed = await reads.openPlace(row);
    try {
      const position = placed.row.object_offset + part.from;
      const count = placed.file === undefined ? 0 : await readAvailable(operations, placed.file.fd, target, position);
      if (count < part.length) part.error = blobErrors.BLOB_DAMAGED({ id: row.id });
    } finally {
      await placed.file?.release();
    }
  }

  async function execute(load: Load, buffer: Uint8Array): Promise<void> {
    for (const range of load.ranges) {
      try {
        const available = await readRange(
          range.path,
          buffer.subarray(range.at, range.at + range.length),
          range.position,
        );
        if (available === range.length) continue;
        for (const part of range.parts) {
          if (part.at + part.length > range.at + available) part.error = blobErrors.BLOB_DAMAGED({ id: part.blobId });
        }
      } catch (error) {
        if (!isMissingFile(error)) throw error;
        for (const part of range.parts) {
          if (part.row === undefined) continue;
          try {
            await loadMoved(part, part.row, buffer.subarray(part.at, part.at + part.length));
          } catch (moved) {
            part.error = asStorageError(moved);
          }
        }
      }
    }
  }

  return {
    async *readAll(blobIds) {
      const plan = planLoads({
        rows,
        blobIds,
        pathOf: reads.pathOf,
        pieceBytes: () => (isCrowded() ? smallPieceBytes : pieceBytes),
      });
      const queue: Loading[] = [];
      let planned = false;
      let crc = 0;

      async function fill(): Promise<void> {
        while (!planned && queue.length < (queue.length > 0 && isCrowded() ? 1 : readAhead)) {
          const next = await plan.next();
          if (next.done === true) {
            planned = true;
            return;
          }
          const buffer = takeBuffer(next.value.length);
          const done = execute(next.value, buffer);
          // A consumer that stops early must not leave an unhandled rejection.
          done.catch(() => {});
          queue.push({ load: next.value, buffer, done });
        }
      }

      try {
        await fill();
        for (;;) {
          const loading = queue[0];
          if (loading === undefined) return;
          await loading.done;
          for (const part of loading.load.parts) {
            if (part.error !== undefined) throw part.error;
            const bytes = loading.buffer.subarray(part.at, part.at + part.length);
            crc = crc32(bytes, part.from === 0 ? 0 : crc);
            if (part.last && crc !== part.row?.crc32) throw blobErrors.BLOB_DAMAGED({ id: part.blobId });
            yield { index: part.index, bytes, last: part.last };
          }
          queue.shift();
          giveBuffer(loading.buffer);
          await fill();
        }
      } finally {
        await Promise.allSettled(queue.map(({ done }) => done));
        for (const { buffer } of queue) giveBuffer(buffer);
        await plan.return(undefined);
      }
    },
  };
}
