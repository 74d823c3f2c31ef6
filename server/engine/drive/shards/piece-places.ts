import { inputProblems } from '../../../kernel/sentences/index.ts';
import type { Documents } from '../../../documents/index.ts';
import type { BlobBytes, BlobRange } from '../../../storage/blobs/blob-store.ts';
import type { CheckedRange } from '../../../tables/checksums.ts';
import type { ColumnFiles } from './column-files.ts';
import type { StoredShardJob, VerdictBlobs } from './worker-pool.ts';
import { readDocuments } from './document-reading.ts';
import {
  type HeldPath,
  type LocalBytes,
  type Piece,
  type PlacedPiece,
  type PlacedVerdicts,
  type ShardJob,
  shardLimits,
  storedProblem,
} from '../../orders/shard.ts';

/** Provides the content of pieces. */
export type PieceSources = {
  blobs: BlobBytes;
  documents: Documents;
  columns: ColumnFiles;
  /** Files with the unpacked contents of compressed files, by file id, where these are not blobs. */
  unpacked?: ReadonlyMap<string, string>;
};

/** Provides the bytes of a shard to a job as local paths, and holds them while it runs. */
export async function withShard<T>(
  { blobs, documents, columns }: PieceSources,
  { runId, pieces, verdicts, recipe, poison, suspects, until, indexes }: StoredShardJob,
  signal: AbortSignal,
  work: (job: ShardJob) => Promise<T>,
): Promise<T> {
  const paths: HeldPath[] = [];
  try {
    const placed = await placePieces(blobs, pieces, paths);
    const read = await readDocuments(documents, placed, { signal, owner: runId });
    return await work({
      recipe,
      pieces: await columns.extract(read, paths, signal),
      verdicts: await placeVerdicts(blobs, verdicts, paths),
      poison,
      limits: shardLimits,
      ...(suspects === undefined ? {} : { suspects }),
      ...(until === undefined ? {} : { until }),
      ...(indexes === undefined ? {} : { indexes }),
    });
  } finally {
    for (const path of paths) await path.release();
  }
}

/**
 * Provides the bytes of the pieces to a job and holds them while it runs; the caller must handle a lost worker. Of the
 * documents among the pieces, each a sample, only the first `maxDocuments` are read.
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
  blobs: BlobBytes,
  blobId: string,
  paths: HeldPath[],
  ranges?: readonly BlobRange[],
): Promise<LocalBytes> {
  const path = await blobs.localPath(blobId, ranges);
  paths.push(path);
  return { path: path.path, offset: path.offset, sizeBytes: path.sizeBytes, crc32: path.crc32 };
}

async function placePieces(
  blobs: BlobBytes,
  pieces: readonly Piece[],
  paths: HeldPath[],
  unpacked?: ReadonlyMap<string, string>,
): Promise<PlacedPiece[]> {
  const placed: PlacedPiece[] = [];
  // Many pieces may be parts of the same file.
  const located = new Map<string, LocalBytes>();
  const locate: Locate = async (blobId, ranges) => {
    const key = [blobId, ...(ranges ?? []).map(({ from, to }) => `${from}-${to}`)].join(' ');
    const known = located.get(key) ?? (await locateBlob(blobs, blobId, paths, ranges));
    located.set(key, known);
    return known;
  };
  for (const piece of pieces) {
    const path = unpacked?.get(piece.fileId);
    placed.push(path === undefined ? await placePiece(locate, piece) : { ...piece, place: { path, offset: 0 } });
  }
  return placed;
}

type Locate = (blobId: string, ranges?: readonly BlobRange[]) => Promise<LocalBytes>;

async function placePiece(locate: Locate, piece: Piece): Promise<PlacedPiece> {
  if (piece.blobId === null || piece.problem !== undefined) return { ...piece, place: null };
  try {
    const { path, offset, crc32 } = await locate(piece.blobId, rangesOf(piece));
    const check = checkOf(piece, crc32);
    return { ...piece, place: { path, offset }, ...(check === undefined ? {} : { check }) };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'BLOB_MISSING';
    if (!isMissing || piece.range !== undefined || piece.column !== undefined) throw error;
    return { ...piece, blobId: null, place: null, ...storedProblem(inputProblems.CONTENT_ERASED.reason({})) };
  }
}

/** The ranges of a piece that are read; undefined: all of it. */
function rangesOf({ layout, range, column }: Piece): readonly BlobRange[] | undefined {
  // The values of the rows and the metadata that locates them: their checksums were computed when the run was planned.
  if (column !== undefined) return column.checks;
  // Ranges begin and end with a row if the layout of the table is known: nothing outside of them is read.
  return layout === undefined || range === undefined ? undefined : [range];
}

/**
 * A part of a file can be verified if its CRC-32 was computed together with that of the whole file; texts of a column
 * are verified when they are extracted.
 */
function checkOf({ range, column, sizeBytes }: Piece, crc32: number): CheckedRange | undefined {
  if (column !== undefined) return undefined;
  if (range === undefined) return { from: 0, to: sizeBytes, crc32 };
  return range.crc32 === undefined ? undefined : { from: range.from, to: range.to, crc32: range.crc32 };
}

async function placeVerdicts(
  blobs: BlobBytes,
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
