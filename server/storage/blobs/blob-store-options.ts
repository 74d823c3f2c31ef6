import type { Database } from '../database/database.ts';
import type { DiskSpace } from '../disk-space/index.ts';
import type { FileOperations } from './files/file-operations.ts';
import type { Hasher } from './hashing/hasher.ts';
import type { Lane } from './files/writable-file.ts';

/** Receives warnings about background work that failed; any pino logger fits. */
export type Logger = { warn(details: object, message: string): void };

export type BlobStoreOptions = {
  /** Folder owned by the store; created when it is missing. */
  directory: string;
  db: Database;
  /** Identifies the data folder when other services may share the database. */
  place?: string;
  logger?: Logger;
  /** Size at which a new pack is started (default 256 MiB). */
  packMaxBytes?: number;
  /** Size from which a blob gets a file of its own (default 1 MiB). */
  packThresholdBytes?: number;
  /** Write path for large pieces (default: past the page cache where the file system allows it). */
  lane?: Lane;
  /** Identifies the current boot of the machine; null if unknown (default: read from the kernel). */
  bootId?: string | null;
  /** Delay of the sweep after a release, and interval between regular sweeps. */
  sweepDelayMs?: number;
  sweepIntervalMs?: number;
  /**
   * Whether the store erases unreferenced bytes (default). A short-lived process leaves this to others: it could end after deleting
   * rows but before erasing their bytes, which nothing would refer to then.
   */
  sweeps?: boolean;
  /** Whether a backup is copying; meanwhile nothing that a row referred to is erased. */
  isPinned?: () => boolean;
  /** Disk space watch that allows only deletions to write when space is short; without it, writes are always allowed. */
  space?: Pick<DiskSpace, 'mayWrite' | 'isShort' | 'withReserve'>;
  /** The system calls; tests pass ones that fail. */
  operations?: FileOperations;
  /** Computes SHA-256; tests pass one that lags behind. */
  createHasher?: (memory: SharedArrayBuffer) => Hasher;
};
