import type { AssembliesTable, AssemblyChunksTable } from '../../database/tables/blobs.ts';
import type { PlacedWriter } from './chunk-writer.ts';
import type { OrderedHash } from '../ordered-hash.ts';
import type { SealedAssembly } from '../queries/assemblies.ts';

/** A received chunk: `besideNo` is the number of its separate file, 0 when it is in place. */
export type StoredChunk = { sizeBytes: number; crc32: number; besideNo: number };

/**
 * The in-memory state of an assembly. Invariants: a received chunk with `besideNo` 0 starts at (number - 1) × chunk size in the
 * file and is no longer than the chunk size, unless it is the last; no writer writes to the place of a received chunk or
 * beyond its own.
 */
export type LiveAssembly = {
  readonly id: string;
  readonly totalChunks: number;
  /** Announced, or set by the first received chunk that isn't the last. */
  chunkSizeBytes: number | null;
  /** The expected size of the first chunk; used until a size is known. */
  assumedSizeBytes: number | null;
  readonly chunks: Map<number, StoredChunk>;
  receivedBytes: number;
  /** All chunks below this number have been received. */
  firstMissing: number;
  /** Numbers of chunks in separate files. */
  readonly beside: Set<number>;
  /** The writer at the place of each chunk. */
  readonly holders: Map<number, PlacedWriter>;
  /** Writers that may write in place, including those whose file is still being opened. */
  readonly reserved: Set<number>;
  readonly writers: Set<PlacedWriter>;
  readonly claims: Map<number, Promise<void>>;
  /** Pending while writers leave places that were based on a wrong size. */
  settling: Promise<void> | undefined;
  placing: Promise<void>;
  sealing: Promise<SealedAssembly> | undefined;
  sealed: SealedAssembly | undefined;
  dropped: Error | undefined;
  /** SHA-256 of the chunks before `next`; `feeding` is the writer that hashes `next`. */
  hash: { ordered: OrderedHash; next: number; feeding: PlacedWriter | undefined } | undefined;
  /** A sync of its file failed: received chunks must be checked before they count. */
  suspect: boolean;
};

export function createLiveAssembly(row: AssembliesTable, chunks: readonly AssemblyChunksTable[]): LiveAssembly {
  const live: LiveAssembly = {
    id: row.id,
    totalChunks: row.total_chunks,
    chunkSizeBytes: row.chunk_size_bytes,
    assumedSizeBytes: null,
    chunks: new Map(),
    receivedBytes: 0,
    firstMissing: 1,
    beside: new Set(),
    holders: new Map(),
    reserved: new Set(),
    writers: new Set(),
    claims: new Map(),
    settling: undefined,
    placing: Promise.resolve(),
    sealing: undefined,
    sealed: sealedOf(row),
    dropped: undefined,
    hash: undefined,
    suspect: false,
  };
  for (const chunk of chunks) {
    addChunk(live, chunk.chunk_no, { sizeBytes: chunk.size_bytes, crc32: chunk.crc32, besideNo: chunk.beside });
  }
  return live;
}

export function addChunk(live: LiveAssembly, chunkNo: number, chunk: StoredChunk): void {
  live.chunks.set(chunkNo, chunk);
  live.receivedBytes += chunk.sizeBytes;
  if (chunk.besideNo > 0) live.beside.add(chunkNo);
  while (live.chunks.has(live.firstMissing)) live.firstMissing++;
}

/** A chunk's offset in the file; undefined while the chunk size is unknown. */
export function placeOf(live: LiveAssembly, chunkNo: number): number | undefined {
  if (chunkNo === 1) return 0;
  const size = live.chunkSizeBytes ?? live.assumedSizeBytes;
  return size === null ? undefined : (chunkNo - 1) * size;
}

/** Maximum bytes of a chunk that don't reach the place of the next one. */
export function capacityOf(live: LiveAssembly, chunkNo: number): number {
  if (chunkNo === live.totalChunks) return Number.POSITIVE_INFINITY;
  return live.chunkSizeBytes ?? live.assumedSizeBytes ?? Number.POSITIVE_INFINITY;
}

/** Whether a chunk in a separate file can be put in place: false only when its size differs from the rest. */
export function isPlaceable(live: LiveAssembly, chunkNo: number): boolean {
  if (live.chunkSizeBytes === null) return chunkNo === 1;
  return chunkNo === live.totalChunks || live.chunks.get(chunkNo)?.sizeBytes === live.chunkSizeBytes;
}

/** Offset of a received chunk in the blob, from the sizes of the chunks before it. */
export function offsetOf(live: LiveAssembly, chunkNo: number): number {
  let offset = 0;
  for (let number = 1; number < chunkNo; number++) offset += live.chunks.get(number)?.sizeBytes ?? 0;
  return offset;
}

export function sealedOf(row: AssembliesTable): SealedAssembly | undefined {
  if (row.sealed_kind === null) return undefined;
  return {
    id: row.id,
    sealed_size_bytes: row.sealed_size_bytes ?? 0,
    sealed_crc32: row.sealed_crc32 ?? 0,
    sealed_sha256: row.sealed_sha256,
    sealed_kind: row.sealed_kind,
    sealed_object_id: row.sealed_object_id ?? '',
    sealed_object_offset: row.sealed_object_offset ?? 0,
  };
}
