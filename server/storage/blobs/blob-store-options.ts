import type { Database } from '../database/database.ts';
import type { DiskSpace } from '../disk-space/index.ts';
import type { FileOperations } from './files/file-operations.ts';
import type { Hasher } from './hashing/hasher.ts';
import type { Lane } from './files/writable-file.ts';

/** Where the store tells what it could not do in the background; any pino logger fits. */
export type Logger = { warn(details: object, message: string): void };

export type BlobStoreOptions = {
  /** Folder that belongs to the store alone; created when it is missing. */
  directory: string;
  db: Database;
  /** Names the data folder, where other services may share the database. */
  place?: string;
  logger?: Logger;
  /** Size at which a new pack is begun (default 256 MiB). */
  packMaxBytes?: number;
  /** Size from which a blob gets a file of its own (default 1 MiB). */
  packThresholdBytes?: number;
  /** Which way large pieces go to the disk (default: past the page cache where the file system allows it). */
  lane?: Lane;
  /** Identifies the time since the machine started; null where it is unknown (default: asked of the kernel). */
  bootId?: string | null;
  /** Delay of the sweep after a release, and time between sweeps that nobody asked for. */
  sweepDelayMs?: number;
  sweepIntervalMs?: number;
  /** Whether a backup is copying: meanwhile nothing is erased that a row has pointed at. */
  isPinned?: () => boolean;
  /** Says when only deletions may write; without it everybody may, always. */
  space?: Pick<DiskSpace, 'mayWrite' | 'isShort' | 'withReserve'>;
  /** The system calls; tests hand in ones that fail. */
  operations?: FileOperations;
  /** Computes SHA-256; tests hand in one that lags behind. */
  createHasher?: (memory: SharedArrayBuffer) => Hasher;
};
