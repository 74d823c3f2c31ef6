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
  /** How large pieces are written (default: past the page cache where the file system allows it). */
  lane?: Lane;
  /** Identifies the current boot of the machine; null if unknown (default: read from the kernel). */
  bootId?: string | null;
  /** Delay of the sweep after a release, and interval between regular sweeps. */
  sweepDelayMs?: number;
  sweepIntervalMs?: number;
  /**
   * Whether the store erases what nothing refers to (default). A process that ends soon leaves it to others: it could be gone before it has
   * erased the bytes of rows that it deleted, of which then nobody knows.
   */
  sweeps?: boolean;
  /** Whether a backup is copying: meanwhile nothing that a row has referred to is erased. */
  isPinned?: () => boolean;
  /** Tells when only deletions may write; without it writes are always allowed. */
  space?: Pick<DiskSpace, 'mayWrite' | 'isShort' | 'withReserve'>;
  /** The system calls; tests pass ones that fail. */
  operations?: FileOperations;
  /** Computes SHA-256; tests pass one that lags behind. */
  createHasher?: (memory: SharedArrayBuffer) => Hasher;
};
