import type { Database } from '../database/database.ts';
import type { BlobFolders } from './files/blob-folders.ts';
import type { BufferPool } from './files/buffer-pool.ts';
import type { DiskHealth } from './files/disk-health.ts';
import type { FileOperations } from './files/file-operations.ts';
import type { FlushGroups } from './packs/flush-groups.ts';
import type { Hasher } from './hashing/hasher.ts';
import type { LateDigests } from './hashing/late-digests.ts';
import type { PackWriter } from './packs/pack-writer.ts';
import type { ObjectHolds, StagedBlobs } from './staged-blobs.ts';
import type { LaneChoice, WritableFile } from './files/writable-file.ts';

/** Shared by all writers of a store. */
export type StoreParts = WriterParts & { db: Database };

/** The components that write blobs. */
export type WriterParts = {
  operations: FileOperations;
  folders: BlobFolders;
  pool: BufferPool;
  lane: LaneChoice;
  /** Opens the file of a blob for sequential writing. */
  openFile(path: string): Promise<WritableFile>;
  hasher: Hasher;
  lateDigests: LateDigests;
  holds: ObjectHolds;
  staged: StagedBlobs;
  packs: PackWriter;
  flushes: FlushGroups;
  health: DiskHealth;
  /** Blobs of at least this size get a file of their own. */
  packThresholdBytes: number;
};
