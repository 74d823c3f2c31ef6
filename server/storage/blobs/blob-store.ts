import type { Tx } from '../database/database.ts';

/**
 * What is known of a run of bytes; `sha256` (lower-case hex) is null until the background has computed it, and empty where nobody
 * wants it (see `BlobStore.create`).
 */
export type BlobFacts = { id: string; sizeBytes: number; crc32: number; sha256: string | null };

/** Location of a blob's bytes: none (empty), in its own file, or in a pack from `offset` on. */
export type BlobPlace =
  | { kind: 'empty' }
  | { kind: 'file'; objectId: string }
  | { kind: 'pack'; objectId: string; offset: number };

/** Written bytes that the database does not refer to yet; adopting them stores a SHA-256 computed since. */
export type StagedBlob = BlobFacts & { place: BlobPlace };

/** Writes the bytes of one blob from front to back. */
export type BlobWriter = {
  /** Copies `bytes`. If it returns a promise, the store is behind: wait for it before the next write. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Ends the blob. Its bytes survive power loss only after the next `flush()`. */
  finish(): Promise<StagedBlob>;
  /** Gives the space back. */
  abort(): Promise<void>;
};

/** Outcome of a chunk: received, repeated with the same bytes, or in conflict with other bytes. */
export type ChunkOutcome = 'received' | 'repeated' | 'conflict';

/** Takes the bytes of one numbered chunk. */
export type ChunkWriter = {
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** CRC-32 and size of what was written so far. */
  readonly crc32: number;
  readonly sizeBytes: number;
  /** Ends the chunk; when this resolves, the chunk survives the death of the process. */
  finish(): Promise<ChunkOutcome>;
  /** Forgets what was written: a chunk that was not finished was never there. */
  abort(): Promise<void>;
};

/** A blob that arrives as numbered chunks (from 1), in any order, by parallel writers, across restarts. */
export type Assembly = {
  /** The id that the blob will have. */
  readonly id: string;
  readonly totalChunks: number;
  /** Size of every chunk but the last: announced, or learnt from the first chunk that isn't the last. */
  readonly chunkSizeBytes: number | null;
  readonly receivedChunks: number;
  readonly receivedBytes: number;
  readonly sealed: boolean;
  /** Numbers of missing chunks in ascending order, at most `limit`. */
  missingChunks(limit: number): number[];
  /** `expectedBytes`: what the length of the request suggests; a wrong guess costs a copy, never correctness. */
  openChunk(chunkNo: number, expectedBytes?: number): Promise<ChunkWriter>;
  /** All chunks are there: makes the blob, durable. Further calls give the same answer; later chunks are only compared. */
  seal(): Promise<StagedBlob>;
};

/** Random access to the bytes of one blob. */
export type BlobReader = {
  readonly facts: BlobFacts;
  /** Reads into `target` from `position` on; gives the number of bytes, short only at the end of the blob. */
  read(target: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
};

export type BlobPath = {
  path: string;
  /** First byte and number of bytes within the file at `path`. */
  offset: number;
  sizeBytes: number;
  /** What the bytes must have: whoever reads them from the path checks them. */
  crc32: number;
  release(): Promise<void>;
};

/**
 * Immutable runs of bytes. Life of a blob: written (`create` or an assembly) → `flush` → `adopt` in the transaction that
 * refers to it → `settle` after the transaction → `release` when the last row that refers to it goes.
 */
export type BlobStore = {
  /** `isTemporary`: somebody's own notes, checked by their CRC-32 and released soon; their SHA-256 is not computed. */
  create(options?: { isTemporary?: boolean }): BlobWriter;
  /**
   * The same as a writer's `write` and `finish` for bytes that are all there, with their CRC-32: takes a copy at once.
   * Undefined when that can't be without waiting: nothing, or too much for a pack, or the disk is behind or not trusted.
   */
  writeWhole(bytes: Uint8Array, crc32: number): StagedBlob | undefined;
  createAssembly(options: { totalChunks: number; chunkSizeBytes: number | null }): Promise<Assembly>;
  /** The assembly of that id with all that arrived, also after a restart; undefined when it is unknown. */
  findAssembly(id: string): Promise<Assembly | undefined>;
  /** Erases assemblies and what they hold; a sealed one's blob stays when it was adopted. */
  dropAssemblies(ids: readonly string[]): Promise<void>;
  /** Takes bytes and tells whether they equal the blob's from `offset` on (`repeated` or `conflict`), for repeats after the end. */
  compareWith(blobId: string, offset: number, sizeBytes: number): Promise<ChunkWriter>;

  /** Resolves when all that was finished before the call survives power loss; calls at the same time share one fsync. */
  flush(): Promise<void>;
  /** Makes staged blobs known, each with one reference. Equal content is not shared: the copy that is there may be damaged. */
  adopt(tx: Tx, staged: readonly StagedBlob[]): Promise<void>;
  /** One more reference for each id, once per occurrence. */
  retain(tx: Tx, blobIds: readonly string[]): Promise<void>;
  /** One reference less for each id, once per occurrence; the space of unreferenced blobs comes back soon after the commit. */
  release(tx: Tx, blobIds: readonly string[]): Promise<void>;
  /** After the transaction, committed or not: staged bytes that the database does not point at are erased. */
  settle(staged: readonly StagedBlob[]): Promise<void>;

  find(blobId: string): Promise<BlobFacts | undefined>;
  /** Opens a blob; throws BLOB_MISSING when its bytes are gone. */
  open(blobId: string): Promise<BlobReader>;
  /**
   * The bytes of many blobs, one after the other in the order of `blobIds`, neighbours in a pack read together. Pieces of a
   * blob come with its index and are valid until the next one is asked for. Bytes that don't match the blob's CRC-32 throw
   * BLOB_DAMAGED before the last piece of the blob is given.
   */
  readAll(
    blobIds: Iterable<string> | AsyncIterable<string>,
  ): AsyncIterable<{ index: number; bytes: Uint8Array; last: boolean }>;
  /** The bytes as (part of) a local file, for readers that want a path; hold it until `release()`. */
  localPath(blobId: string): Promise<BlobPath>;

  /** Bytes on disk: all of them, and those that deleted data still holds until the sweep. */
  usage(): Promise<{ storedBytes: number; reclaimableBytes: number }>;
  /** Erases what nothing refers to and rewrites packs that are mostly dead; also runs by itself. */
  sweep(): Promise<{ freedBytes: number }>;
  close(): Promise<void>;
};
