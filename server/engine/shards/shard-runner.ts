import type { Documents } from '../../documents/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { CheckedRange } from '../../tables/checksums.ts';
import type { ColumnFiles } from '../columns/column-files.ts';
import { readDocuments } from './document-reading.ts';
import { RunFailure } from '../../runs/index.ts';
import {
  shardLimits,
  type HeldPath,
  type LocalBytes,
  type Piece,
  type PlacedPiece,
  type PlacedVerdicts,
  type Poison,
  type ShardJob,
  type Recipe,
} from './shard.ts';
import { WorkerLost } from '../workers/worker-pool.ts';

/** More crashing samples than this are no longer a few bad samples: the run fails. */
const maxPoison = 10;

/** The verdicts of an earlier set step for the shard, as blobs. */
export type VerdictBlobs = Omit<PlacedVerdicts, 'signatures' | 'drops'> & { signaturesId: string; dropsId: string };

export type ShardRun = {
  runId: string;
  recipe: Recipe;
  pieces: readonly Piece[];
  verdicts: readonly VerdictBlobs[];
  /** Samples that are known to crash a worker; newly found ones are added. */
  poison: Poison[];
  /** By step: what is known of the datasets that it compares with. */
  indexes?: ShardJob['indexes'];
  signal: AbortSignal;
  /** Called for each worker that was lost. */
  onLost: (message: string) => Promise<void>;
};

/** Provides the content of pieces. */
export type PieceSources = {
  blobs: BlobStore;
  documents: Documents;
  columns: ColumnFiles;
  /** Files with the contents of compressed ones, by file id, where these are no blobs. */
  unpacked?: ReadonlyMap<string, string>;
};

/**
 * Processes a shard until there is a result. If a worker dies or hangs, the shard is retried once, with the samples of
 * the batch that it was lost over one by one; if the same sample, or one of that batch, crashes it again, that sample
 * fails with the cause and the rest of the shard continues.
 */
export async function runShard<T>(
  { blobs, documents, columns }: PieceSources,
  { runId, recipe, pieces, verdicts, poison, indexes, signal, onLost }: ShardRun,
  work: (job: ShardJob, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const paths: HeldPath[] = [];
  try {
    const job = {
      recipe,
      pieces: await columns.extract(
        await readDocuments(documents, await placePieces(blobs, pieces, paths), { signal, owner: runId }),
        paths,
        signal,
      ),
      verdicts: await placeVerdicts(blobs, verdicts, paths),
      limits: shardLimits,
      ...(indexes === undefined ? {} : { indexes }),
    };
    let suspects: ShardJob['suspects'];
    for (;;) {
      try {
        return await work({ ...job, poison, ...(suspects === undefined ? {} : { suspects }) }, signal);
      } catch (error) {
        if (!(error instanceof WorkerLost)) throw error;
        const operatorId = recipe.steps[error.step]?.operatorId ?? null;
        const cause = `${operatorId ?? 'reading the sample'}: ${error.message}`;
        await onLost(`A worker was lost at sample ${error.ordinal} of its shard: ${cause}`);
        const isSame =
          error.last === error.ordinal &&
          suspects !== undefined &&
          error.ordinal >= suspects.from &&
          error.ordinal <= suspects.to;
        suspects = { from: error.ordinal, to: error.last };
        if (!isSame) continue;
        if (error.ordinal < 0 || poison.length >= maxPoison) {
          throw new RunFailure(`Workers were lost again and again over ${describe(pieces)}: ${cause}`, {
            cause: error,
          });
        }
        poison.push({ ordinal: error.ordinal, step: error.step < 0 ? null : error.step, reason: cause });
      }
    }
  } finally {
    for (const path of paths) await path.release();
  }
}

/**
 * Provides the bytes of the pieces to a job and holds them while it runs; the caller must handle a lost worker. Of the
 * documents among the pieces, each of which is a sample, only the first `maxDocuments` are read.
 */
export async function withPieces<T>(
  { blobs, documents, columns, unpacked }: PieceSources,
  { pieces, ...reading }: { pieces: readonly Piece[]; maxDocuments: number; signal: AbortSignal },
  work: (placed: PlacedPiece[]) => Promise<T>,
): Promise<T> {
  const paths: HeldPath[] = [];
  try {
    const read = await readDocuments(documents, await placePieces(blobs, pieces, paths, unpacked), {
      ...reading,
      owner: 'preview',
    });
    return await work(await columns.extract(read, paths, reading.signal));
  } finally {
    for (const path of paths) await path.release();
  }
}

/** Locates a blob's bytes on this machine; `paths` hold them until they are released. */
export async function locateBlob(
  blobs: BlobStore,
  blobId: string,
  paths: HeldPath[],
  range?: { from: number; to: number },
): Promise<LocalBytes> {
  const path = await blobs.localPath(blobId, range);
  paths.push(path);
  return { path: path.path, offset: path.offset, sizeBytes: path.sizeBytes, crc32: path.crc32 };
}

async function placePieces(
  blobs: BlobStore,
  pieces: readonly Piece[],
  paths: HeldPath[],
  unpacked?: ReadonlyMap<string, string>,
): Promise<PlacedPiece[]> {
  const placed: PlacedPiece[] = [];
  // Many pieces may be parts of the same file.
  const located = new Map<string, LocalBytes>();
  const locate: Locate = async (blobId, range) => {
    const key = range === undefined ? blobId : `${blobId} ${range.from}-${range.to}`;
    const known = located.get(key) ?? (await locateBlob(blobs, blobId, paths, range));
    located.set(key, known);
    return known;
  };
  for (const piece of pieces) {
    const path = unpacked?.get(piece.fileId);
    placed.push(path === undefined ? await placePiece(locate, piece) : { ...piece, place: { path, offset: 0 } });
  }
  return placed;
}

type Locate = (blobId: string, range?: { from: number; to: number }) => Promise<LocalBytes>;

async function placePiece(locate: Locate, piece: Piece): Promise<PlacedPiece> {
  if (piece.blobId === null || piece.problem !== undefined) return { ...piece, place: null };
  try {
    // Ranges begin and end with a row if the layout of the table is known: nothing outside of them is read.
    const range = piece.layout === undefined ? undefined : piece.range;
    const { path, offset, crc32 } = await locate(piece.blobId, range);
    const check = checkOf(piece, crc32);
    return { ...piece, place: { path, offset }, ...(check === undefined ? {} : { check }) };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'BLOB_MISSING';
    if (!isMissing || piece.range !== undefined || piece.column !== undefined) throw error;
    return { ...piece, blobId: null, place: null, problem: 'The content of the file was erased' };
  }
}

/**
 * A part of a file can be checked if its CRC-32 was computed together with that of the whole file; texts of a column
 * are checked when they are extracted.
 */
function checkOf({ range, column, sizeBytes }: Piece, crc32: number): CheckedRange | undefined {
  if (column !== undefined) return undefined;
  if (range === undefined) return { from: 0, to: sizeBytes, crc32 };
  return range.crc32 === undefined ? undefined : { from: range.from, to: range.to, crc32: range.crc32 };
}

async function placeVerdicts(
  blobs: BlobStore,
  verdicts: readonly VerdictBlobs[],
  paths: HeldPath[],
): Promise<PlacedVerdicts[]> {
  const placed: PlacedVerdicts[] = [];
  for (const { signaturesId, dropsId, ...rest } of verdicts) {
    const signatures = await locateBlob(blobs, signaturesId, paths);
    placed.push({ ...rest, signatures, drops: await locateBlob(blobs, dropsId, paths) });
  }
  return placed;
}

function describe(pieces: readonly Piece[]): string {
  const [first, ...others] = pieces;
  return `${first?.path ?? 'nothing'}${others.length === 0 ? '' : ` and ${others.length} more files`}`;
}
