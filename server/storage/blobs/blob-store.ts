import type { Tx } from '../database/database.ts';
import type { BlobRow } from './queries/blobs.ts';

/**
 * Facts about a blob. `sha256` (lower-case hex) is null until the background has computed it, and empty for temporary blobs (see
 * `BlobStore.create`).
 */
export type BlobFacts = { id: string; sizeBytes: number; crc32: number; sha256: string | null };

/** Location of a blob's bytes: none (empty), in its own file, or in a pack from `offset` on. */
export type BlobPlace =
  | { kind: 'empty' }
  | { kind: 'file'; objectId: string }
  | { kind: 'pack'; objectId: string; offset: number };

/** Written bytes that the database does not refer to yet; adopting them also stores a SHA-256 that became ready meanwhile. */
export type StagedBlob = BlobFacts & { place: BlobPlace };

/** Writes the bytes of one blob from front to back. */
export type BlobWriter = {
  /** Copies `bytes`. If it returns a promise, the disk is behind: wait for it before the next write. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Ends the blob. Its bytes survive power loss only after the next `flush()`. */
  finish(): Promise<StagedBlob>;
  /** Discards what was written. */
  abort(): Promise<void>;
};

/** Outcome of a chunk: received, repeated with the same bytes, or in conflict with other bytes. */
export type ChunkOutcome = 'received' | 'repeated' | 'conflict';

/** Takes the bytes of one numbered chunk. */
export type ChunkWriter = {
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** CRC-32 and size of the bytes written so far. */
  readonly crc32: number;
  readonly sizeBytes: number;
  /** Ends the chunk; when this resolves, the chunk survives the death of the process. */
  finish(): Promise<ChunkOutcome>;
  /** Discards what was written; an unfinished chunk leaves no trace. */
  abort(): Promise<void>;
};

/** A blob that arrives as numbered chunks (from 1), in any order, by parallel writers, across restarts. */
export type Assembly = {
  /** The id that the blob will have. */
  readonly id: string;
  readonly totalChunks: number;
  /** Size of every chunk but the last: announced, or set by the first chunk that isn't the last. */
  readonly chunkSizeBytes: number | null;
  readonly receivedChunks: number;
  readonly receivedBytes: number;
  /** Numbers of missing chunks in ascending order, at most `limit`. */
  missingChunks(limit: number): number[];
  /** `expectedBytes`: a hint from the length of the request; a wrong one costs a copy, never correctness. */
  openChunk(chunkNo: number, expectedBytes?: number): Promise<ChunkWriter>;
  /**
   * Call when all chunks are received: creates the blob durably. Further calls return the same blob; later chunks are only
   * compared.
   */
  seal(): Promise<StagedBlob>;
};

/** Random access to the bytes of one blob. */
export type BlobReader = {
  readonly facts: BlobFacts;
  /** Reads into `target` from `position` on; returns the number of bytes, short only at the end of the blob. */
  read(target: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
};

export type BlobPath = {
  path: string;
  /** Range within the file at `path`. */
  offset: number;
  sizeBytes: number;
  /** CRC-32 of the bytes; a caller that reads them from the path must check it. */
  crc32: number;
  release(): Promise<void>;
};

/** Bytes `[from, to)` of a blob. */
export type BlobRange = { from: number; to: number };

/** What processes without a database need from one that has it: the places of blobs, and a receiver that adopts theirs. */
export type SharedBlobs = {
  /** Rows of the known ids, in any order. */
  locate(blobIds: readonly string[]): Promise<BlobRow[]>;
  /** Takes over durable blobs that another process staged after `since`, by the clock of `performance`; then they can be adopted. */
  receive(staged: readonly StagedBlob[], since: number): void;
};

/**
 * Immutable byte sequences. Life of a blob: written (`create` or an assembly) → `flush` → `adopt` in the transaction that refers
 * to it → `settle` after the transaction → `release` when the last row that refers to it is deleted.
 */
export type BlobStore = {
  /** Set if all processes of the database share the bytes, as in an object store. Otherwise each has its own folder. */
  readonly shared: SharedBlobs | undefined;
  /** `isTemporary`: internal data that is checked by its CRC-32 and released soon; its SHA-256 is not computed. */
  create(options?: { isTemporary?: boolean }): BlobWriter;
  /**
   * A writer's `write` and `finish` in one call, for complete bytes with a known CRC-32; copies them at once. Undefined if there
   * are no bytes, if they are too many for a pack, or if it would have to wait because the disk is behind or not trusted.
   */
  writeWhole(bytes: Uint8Array, crc32: number): StagedBlob | undefined;
  createAssembly(options: { totalChunks: number; chunkSizeBytes: number | null }): Promise<Assembly>;
  /** The assembly with this id and all received chunks, also after a restart; undefined if it is unknown. */
  findAssembly(id: string): Promise<Assembly | undefined>;
  /**
   * Erases assemblies and their bytes; the blob of a sealed one stays if it was adopted. With `onlyEmpty`, keeps assemblies that
   * have received a chunk in any process. Returns the ids of the erased ones.
   */
  dropAssemblies(ids: readonly string[], options?: { onlyEmpty: boolean }): Promise<readonly string[]>;
  /** Compares bytes with the blob's from `offset` on (`repeated` or `conflict`), for chunks repeated after completion. */
  compareWith(blobId: string, offset: number, sizeBytes: number): Promise<ChunkWriter>;

  /** Resolves when everything finished before the call survives power loss; concurrent calls share one fsync. */
  flush(): Promise<void>;
  /** Registers staged blobs, each with one reference. Equal content is not shared: the existing copy may be damaged. */
  adopt(tx: Tx, staged: readonly StagedBlob[]): Promise<void>;
  /** Adds one reference per occurrence of an id. */
  retain(tx: Tx, blobIds: readonly string[]): Promise<void>;
  /** Removes one reference per occurrence of an id; the space of unreferenced blobs is freed soon after the commit. */
  release(tx: Tx, blobIds: readonly string[]): Promise<void>;
  /**
   * Call after a transaction that released the blobs: their bytes leave the disk soon, even if they share a pack with blobs that are
   * still referred to. Without this call, or if the process ends early, space is freed when most of the pack is free.
   */
  wipe(blobIds: readonly string[]): void;
  /** Call after the transaction, committed or not: erases staged bytes that the database does not refer to. */
  settle(staged: readonly StagedBlob[]): Promise<void>;

  find(blobId: string): Promise<BlobFacts | undefined>;
  /** Facts about the known ids, in any order. */
  findAll(blobIds: readonly string[]): Promise<BlobFacts[]>;
  /** Opens a blob; throws BLOB_MISSING when its bytes are missing. */
  open(blobId: string): Promise<BlobReader>;
  /**
   * Streams many blobs in the order of `blobIds`; neighbours in a pack are read together. Each piece comes with its blob's index
   * and is valid until the next one is requested. Bytes that don't match the blob's CRC-32 throw BLOB_DAMAGED before the blob's
   * last piece is yielded.
   */
  readAll(
    blobIds: Iterable<string> | AsyncIterable<string>,
  ): AsyncIterable<{ index: number; bytes: Uint8Array; last: boolean }>;
  /**
   * The bytes as (part of) a local file, for readers that need a path; the file stays until `release()`. With ranges, which must be
   * within the blob, only their bytes are sure to be there, at their offsets.
   */
  localPath(blobId: string, ranges?: readonly BlobRange[]): Promise<BlobPath>;

  /** Bytes on disk: all of them, and those of deleted data that the sweep will free. */
  usage(): Promise<{ storedBytes: number; reclaimableBytes: number }>;
  /** Erases unreferenced bytes and rewrites packs that are mostly dead; also runs on its own. */
  sweep(): Promise<{ freedBytes: number }>;
  close(): Promise<void>;
};

/** The part of the store for code that only handles bytes: it reads blobs, and stages new ones for the owner of the rows. */
export type BlobBytes = Pick<BlobStore, 'create' | 'flush' | 'settle' | 'open' | 'readAll' | 'localPath'>;
