import { constants } from 'node:fs';
import { blockBytes } from './buffer-pool.ts';
import { writeAll, type FileOperations } from './file-operations.ts';

/** Write path for large pieces: past the page cache, through it, or as the file system allows. */
export type Lane = 'auto' | 'direct' | 'buffered';

/** Dirty bytes in the page cache at which write-back starts, so that the last sync has little left to do. */
const syncEveryBytes = 16 * 1024 * 1024;

/**
 * A file written at any position through two descriptors. Whole aligned blocks bypass the page cache (three to seven times
 * faster on a new file, because first use of page-cache memory is slow); everything else goes through it. Both may be used on
 * one file as long as no block is written through both at the same time: the kernel then keeps them coherent.
 */
export type WritableFile = {
  readonly path: string;
  /** Writes any bytes at any position. */
  writeBuffered(bytes: Uint8Array, position: number): Promise<void>;
  /** Writes from page-aligned memory; position and length must be block-aligned. */
  writeBlocks(bytes: Uint8Array, position: number): Promise<void>;
  read(target: Uint8Array, position: number): Promise<number>;
  /** Resolves when everything written before survives power loss; after one failure it never succeeds again. */
  sync(): Promise<void>;
  /** Sets the file's length to exactly `length` bytes. */
  fit(length: number): Promise<void>;
  close(): Promise<void>;
};

/** Remembers for all files of a store whether the file system supports direct writes. */
export type LaneChoice = { direct: boolean; required: boolean };

export function chooseLane(lane: Lane): LaneChoice {
  return { direct: lane !== 'buffered', required: lane === 'direct' };
}

/** Opens a file for writing, creating it if it doesn't exist. */
export async function openWritableFile(options: {
  operations: FileOperations;
  path: string;
  lane: LaneChoice;
}): Promise<WritableFile> {
  const { operations, path, lane } = options;
  const fd = await operations.open(path, constants.O_RDWR | constants.O_CREAT);
  let directFd: Promise<number> | undefined;
  let dirtyBytes = 0;
  let syncing: Promise<void> | undefined;
  let syncFailure: { error: unknown } | undefined;

  function startSync(): Promise<void> {
    dirtyBytes = 0;
    const running = operations.syncData(fd).then(
      () => {
        if (syncing === running) syncing = undefined;
      },
      (error: unknown) => {
        // The kernel may have dropped what it could not write, and reports this only once: a later success would be false.
        syncFailure ??= { error };
        if (syncing === running) syncing = undefined;
      },
    );
    syncing = running;
    return running;
  }

  async function writeBuffered(bytes: Uint8Array, position: number): Promise<void> {
    await writeAll(operations, fd, bytes, position);
    dirtyBytes += bytes.length;
    if (dirtyBytes < syncEveryBytes) return;
    // At twice the threshold the disk is behind: the writer waits for it.
    if (syncing === undefined) void startSync();
    else if (dirtyBytes >= 2 * syncEveryBytes) await syncing;
  }

  return {
    path,
    writeBuffered,
    async writeBlocks(bytes, position) {
      if (!lane.direct) return writeBuffered(bytes, position);
      try {
        directFd ??= operations.open(path, constants.O_WRONLY | constants.O_DIRECT);
        await writeDirect(operations, await directFd, bytes, position);
        return undefined;
      } catch (error) {
        if (lane.required || !isUnsupported(error)) throw error;
        lane.direct = false;
        return writeBuffered(bytes, position);
      }
    },
    read: (target, position) => operations.read(fd, target, position),
    async sync() {
      await syncing;
      if (syncFailure === undefined) await startSync();
      if (syncFailure !== undefined) throw syncFailure.error;
    },
    async fit(length) {
      if ((await operations.size(fd)) !== length) await operations.truncate(fd, length);
    },
    async close() {
      await syncing;
      const direct = await directFd?.catch(() => undefined);
      if (direct !== undefined) await operations.close(direct);
      await operations.close(fd);
    },
  };
}

/** A short direct write may end inside a block; the rest is then repeated from the start of that block. */
async function writeDirect(operations: FileOperations, fd: number, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const count = await operations.write(fd, bytes.subarray(written), position + written);
    const blocks = count - (count % blockBytes);
    if (blocks === 0) throw Object.assign(new Error('ENOSPC: nothing was written'), { code: 'ENOSPC' });
    written += blocks;
  }
}

function isUnsupported(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'EINVAL' || code === 'EOPNOTSUPP' || code === 'ENOTSUP';
}
