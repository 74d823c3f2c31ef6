import type { BlobStore, StagedBlob } from '../../storage/blobs/blob-store.ts';
import type { StepFigures } from '../samples/chain.ts';
import type { Piece, ShardResult, VerdictCount } from './shard.ts';

/**
 * A file of the result as a shard's row holds it. With `blobId` the blob carries one reference for it; without, it is a
 * range of the source's blob that nothing was changed in, from `start` on, which only parts of a big file have.
 */
export type StoredOutput =
  | { path: string; sizeBytes: number; blobId: string }
  | { path: string; sizeBytes: number; start: number };

/** Figures of a shard as its row holds them. */
export type StoredFigures = { rows: number[]; verdicts: VerdictCount[]; steps: StepFigures[] };

/** A shard's result with its bytes in the blob store, not yet spoken of by any row. */
export type ShardOutcome = {
  outputs: StoredOutput[];
  figures: StoredFigures;
  staged: StagedBlob[];
  /** Blobs of the source that an output refers to as they are. */
  retained: string[];
  ledger: StagedBlob;
  /** The bytes of outputs by their blobs, as long as the result's memory is not given back. */
  held: ReadonlyMap<string, Uint8Array>;
};

/** Bytes handed over at once, so that the store's buffers and not a whole shard are copied. */
const writeBytes = 1 << 20;

/** Writes a shard's output and ledger into blobs; they survive power loss when this resolves. */
export async function stageOutcome(
  blobs: BlobStore,
  pieces: readonly Piece[],
  isPart: boolean,
  result: ShardResult,
): Promise<ShardOutcome> {
  const staged: StagedBlob[] = [];
  try {
    const retained: string[] = [];
    const outputs: StoredOutput[] = [];
    const held = new Map<string, Uint8Array>();
    for (const [index, piece] of pieces.entries()) {
      for (const { path, from, start, end } of result.pieces[index]?.outputs ?? []) {
        const sizeBytes = end - start;
        if (from === 'source' && isPart) outputs.push({ path, sizeBytes, start });
        else if (from === 'source' && piece.blobId !== null) {
          retained.push(piece.blobId);
          outputs.push({ path, sizeBytes, blobId: piece.blobId });
        } else if (from === 'result') {
          // A part is released when the file is joined.
          const bytes = result.bytes.subarray(start, end);
          const blob = await stage(blobs, bytes, { isTemporary: isPart });
          held.set(blob.id, bytes);
          staged.push(blob);
          outputs.push({ path, sizeBytes, blobId: blob.id });
        }
      }
    }
    const ledger = await stage(blobs, result.ledger);
    staged.push(ledger);
    await blobs.flush();
    const figures = { rows: result.pieces.map(({ rows }) => rows), verdicts: result.verdicts, steps: result.figures };
    return { outputs, figures, staged, retained, ledger, held };
  } catch (error) {
    await blobs.settle(staged);
    throw error;
  }
}

/** Writes bytes into a blob of their own. */
export async function stage(
  blobs: BlobStore,
  bytes: Uint8Array,
  options?: Parameters<BlobStore['create']>[0],
): Promise<StagedBlob> {
  const writer = blobs.create(options);
  try {
    for (let at = 0; at < bytes.length; at += writeBytes) await writer.write(bytes.subarray(at, at + writeBytes));
    return await writer.finish();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** Blobs that a shard's outputs hold a reference to. */
export function blobIdsOf(outputs: string | null): string[] {
  if (outputs === null) return [];
  return (JSON.parse(outputs) as StoredOutput[]).flatMap((output) => ('blobId' in output ? [output.blobId] : []));
}
