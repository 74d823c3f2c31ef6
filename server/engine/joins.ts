import type { BlobStore, StagedBlob } from '../storage/blobs/blob-store.ts';
import type { ShardsTable } from '../storage/database/tables/engine.ts';
import { crc32 } from '../storage/blobs/hashing/crc32.ts';
import { RunFailure } from './run-errors.ts';
import type { Piece } from './shard.ts';
import { blobIdsOf, type StoredFigures, type StoredOutput } from './shard-outcome.ts';
import { describeDamage } from './stored-bytes.ts';

const blockBytes = 1 << 20;

/** A big file's outputs as one, and what becomes of the parts. */
export type JoinedFile = {
  staged: StagedBlob[];
  /** Set when nothing at all was changed: the source's blob is the output. */
  retained: string[];
  released: string[];
  shards: { shard_no: number; outputs: string; first_row: number }[];
};

/** A part's output, and the range of the source that it was made of. */
type JoinedPart = StoredOutput & { range: Piece['range'] };

/** Writes a table of columns anew from the new texts of its parts. */
export type RewriteTable = (piece: Piece, shards: readonly ShardsTable[], signal: AbortSignal) => Promise<StagedBlob>;

/**
 * Writes the outputs of a big file's shards one after the other into one blob: the one copy that shards of any length, done
 * in any order, cost. A file that nothing was changed in costs none.
 */
export async function joinFile(
  { blobs, rewriteTable }: { blobs: BlobStore; rewriteTable: RewriteTable },
  shards: readonly ShardsTable[],
  signal: AbortSignal,
): Promise<JoinedFile> {
  const [first] = shards;
  const [piece] = first === undefined ? [] : (JSON.parse(first.pieces) as Piece[]);
  if (first === undefined || piece === undefined || piece.blobId === null) throw new Error('A file without parts');
  const parts = shards.flatMap(({ outputs, pieces }) => {
    const [{ range } = {}] = JSON.parse(pieces) as Piece[];
    return (JSON.parse(outputs ?? '[]') as StoredOutput[]).map((output): JoinedPart => ({ ...output, range }));
  });
  const isUntouched = parts.every((part) => !('blobId' in part));
  const write = (sourceBlobId: string): Promise<StagedBlob> =>
    piece.column === undefined
      ? writeJoined(blobs, { path: piece.path, blobId: sourceBlobId }, parts, signal)
      : rewriteTable(piece, shards, signal);
  const staged = isUntouched ? [] : [await write(piece.blobId)];
  const output: StoredOutput = {
    path: piece.path,
    sizeBytes: staged[0]?.sizeBytes ?? piece.sizeBytes,
    blobId: staged[0]?.id ?? piece.blobId,
  };
  let firstRow = 0;
  return {
    staged,
    retained: isUntouched ? [piece.blobId] : [],
    released: shards.flatMap(({ outputs }) => blobIdsOf(outputs)),
    shards: shards.map((shard) => {
      const joined = {
        shard_no: shard.shard_no,
        outputs: shard === first ? JSON.stringify([output]) : '[]',
        first_row: firstRow,
      };
      const figures = JSON.parse(shard.figures ?? 'null') as StoredFigures | null;
      firstRow += figures?.rows[0] ?? 0;
      return joined;
    }),
  };
}

async function writeJoined(
  blobs: BlobStore,
  { path, blobId: sourceBlobId }: { path: string; blobId: string },
  parts: readonly JoinedPart[],
  signal: AbortSignal,
): Promise<StagedBlob> {
  const writer = blobs.create();
  const source = await blobs.open(sourceBlobId);
  const block = new Uint8Array(blockBytes);
  try {
    for (const part of parts) {
      if (part.sizeBytes === 0) continue;
      if ('blobId' in part) {
        for await (const { bytes } of blobs.readAll([part.blobId])) await writer.write(bytes);
      } else {
        let crc = 0;
        for (let at = part.start; at < part.start + part.sizeBytes;) {
          const wanted = Math.min(blockBytes, part.start + part.sizeBytes - at);
          const count = await source.read(block.subarray(0, wanted), at);
          if (count === 0) throw new Error(`Blob ${sourceBlobId} ends at ${at}`);
          const bytes = block.subarray(0, count);
          crc = crc32(bytes, crc);
          await writer.write(bytes);
          at += count;
        }
        if (part.range?.crc32 !== undefined && crc !== part.range.crc32) {
          throw new RunFailure(describeDamage(path, part.range));
        }
      }
      signal.throwIfAborted();
    }
    return await writer.finish();
  } catch (error) {
    await writer.abort();
    throw error;
  } finally {
    await source.close();
  }
}
