import type { StoreParts } from '../store-parts.ts';
import type { AssembliesTable, AssemblyChunksTable } from '../../database/tables/blobs.ts';
import { sealedOf } from '../assemblies/live-assembly.ts';
import type { Logger } from '../blob-store-options.ts';
import type { Eraser } from '../files/eraser.ts';
import type { OrderedHash } from '../ordered-hash.ts';
import { findAssemblyRow, listChunks, type SealedAssembly } from '../queries/assemblies.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { Multipart, ObjectStore } from './object-store.ts';

/** What all assemblies of an object store share. */
export type ObjectParts = StoreParts & {
  store: ObjectStore;
  budget: MemoryBudget;
  eraser: Eraser;
  logger: Logger;
};

/** A received chunk: `besideNo` is the number of its own object, or 0 if it was sent as parts of the multipart upload. */
export type ObjectChunk = { sizeBytes: number; crc32: number; besideNo: number };

/** The hash of the chunks before `next`, while all of them arrive in order and in this process. */
export type ChunkHash = { ordered: OrderedHash; next: number; isFeeding: boolean };

/** This process's cached state of an assembly; the database is authoritative, because other processes add chunks too. */
export type ObjectAssemblyState = {
  readonly id: string;
  readonly totalChunks: number;
  chunkSizeBytes: number | null;
  readonly chunks: Map<number, ObjectChunk>;
  receivedBytes: number;
  firstMissing: number;
  upload: Multipart | undefined;
  /** The upload was aborted elsewhere: new chunks become objects of their own, and those sent as parts are missing at the seal. */
  isUploadLost: boolean;
  sealed: SealedAssembly | undefined;
  sealing: Promise<void> | undefined;
  dropped: Error | undefined;
  readonly writers: Set<{ kill(error: Error): Promise<void> }>;
  hash: ChunkHash | undefined;
  readonly rereads: {
    /** Number of the last one that began, and of the last one that was applied. */
    begun: number;
    applied: number;
    /** For each one under way: the chunks that this process has recorded since it began. */
    readonly underWay: Set<Map<number, ObjectChunk>>;
  };
};

export function createAssemblyState(
  { folders }: Pick<ObjectParts, 'folders'>,
  row: AssembliesTable,
  chunks: readonly AssemblyChunksTable[],
): ObjectAssemblyState {
  const state: ObjectAssemblyState = {
    id: row.id,
    totalChunks: row.total_chunks,
    chunkSizeBytes: row.chunk_size_bytes,
    chunks: new Map(),
    receivedBytes: 0,
    firstMissing: 1,
    upload: undefined,
    isUploadLost: false,
    sealed: undefined,
    sealing: undefined,
    dropped: undefined,
    writers: new Set(),
    hash: undefined,
    rereads: { begun: 0, applied: 0, underWay: new Set() },
  };
  applyRows({ folders }, state, row, chunks, new Map());
  return state;
}

/**
 * Updates the state from the database: other processes may have received chunks or found some missing. Several may run at
 * once and end in any order: rows older than those applied are ignored, and chunks recorded after a read began are kept.
 * Returns false if the assembly is gone.
 */
export async function rereadState(
  parts: Pick<ObjectParts, 'folders' | 'db'>,
  state: ObjectAssemblyState,
): Promise<boolean> {
  const { rereads } = state;
  const recorded = new Map<number, ObjectChunk>();
  rereads.begun += 1;
  const number = rereads.begun;
  rereads.underWay.add(recorded);
  try {
    const row = await findAssemblyRow(parts.db.read, state.id);
    if (row === undefined) return false;
    const chunks = await listChunks(parts.db.read, state.id);
    if (number > rereads.applied) {
      rereads.applied = number;
      applyRows(parts, state, row, chunks, recorded);
    }
    return true;
  } finally {
    rereads.underWay.delete(recorded);
  }
}

function applyRows(
  { folders }: Pick<ObjectParts, 'folders'>,
  state: ObjectAssemblyState,
  row: AssembliesTable,
  chunks: readonly AssemblyChunksTable[],
  recorded: ReadonlyMap<number, ObjectChunk>,
): void {
  const known = state.chunks.size;
  state.chunks.clear();
  state.receivedBytes = 0;
  state.firstMissing = 1;
  for (const chunk of chunks) {
    const { chunk_no: chunkNo, size_bytes: sizeBytes, crc32, beside: besideNo } = chunk;
    addChunk(state, chunkNo, { sizeBytes, crc32, besideNo });
  }
  for (const [chunkNo, chunk] of recorded) addChunk(state, chunkNo, chunk);
  if (state.chunks.size !== known) dropHash(state);
  if (row.upload_id !== null) state.upload = { key: folders.filePath(row.id), uploadId: row.upload_id };
  state.sealed = sealedOf(row);
}

/** Adds a chunk that this process has recorded in the database. */
export function addRecordedChunk(state: ObjectAssemblyState, chunkNo: number, chunk: ObjectChunk): void {
  addChunk(state, chunkNo, chunk);
  for (const recorded of state.rereads.underWay) recorded.set(chunkNo, chunk);
}

function addChunk(state: ObjectAssemblyState, chunkNo: number, chunk: ObjectChunk): void {
  if (state.chunks.has(chunkNo)) return;
  state.chunks.set(chunkNo, chunk);
  state.receivedBytes += chunk.sizeBytes;
  const isFirst = state.chunkSizeBytes === null && chunkNo < state.totalChunks && chunk.sizeBytes > 0;
  if (isFirst) state.chunkSizeBytes = chunk.sizeBytes;
  while (state.chunks.has(state.firstMissing)) state.firstMissing++;
}

export function dropHash(state: ObjectAssemblyState): void {
  state.hash?.ordered.drop();
  state.hash = undefined;
}
