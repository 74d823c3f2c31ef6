import { constants } from 'node:fs';
import { newId } from '../../../kernel/ids.ts';
import { hasTooManyFiles, storageUnavailable } from '../errors.ts';
import { readAvailable, writeAll, type FileOperations } from './file-operations.ts';

/**
 * Tracks whether the disk can be trusted. A failed fsync is never retried, because the kernel may have dropped the dirty pages
 * and would report success the second time. After a failure, everything not yet durable counts as lost, nothing is appended to
 * the affected file, and new work is refused until a probe has written, synced and read back a file.
 */
export type DiskHealth = {
  /** Whether `ready` would resolve at once. */
  readonly trusted: boolean;
  /** Resolves while the disk is trusted; otherwise probes it, at most once a second, and throws UNAVAILABLE if that fails. */
  ready(): Promise<void>;
  /** The same operations, except that a failed sync is recorded and becomes UNAVAILABLE. */
  watch(operations: FileOperations): FileOperations;
};

const probeEveryMs = 1000;

export function createDiskHealth(options: {
  operations: FileOperations;
  folder: string;
  /** Called at once when a sync fails. */
  onFailure(error: unknown): void;
}): DiskHealth {
  const { operations, folder, onFailure } = options;
  let failure: { error: unknown } | undefined;
  let probing: Promise<void> | undefined;
  let probedAt = Number.NEGATIVE_INFINITY;

  async function probe(): Promise<void> {
    const path = `${folder}/probe-${newId()}`;
    const written = new TextEncoder().encode(path);
    const fd = await operations.open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL);
    try {
      await writeAll(operations, fd, written, 0);
      await operations.syncData(fd);
      await operations.syncDirectory(folder);
      const read = new Uint8Array(written.length);
      const length = await readAvailable(operations, fd, read, 0);
      if (length !== written.length || !read.every((byte, index) => byte === written[index])) {
        throw new Error('The disk gave other bytes than were written');
      }
    } finally {
      await operations.close(fd);
      await operations.unlink(path);
    }
  }

  function fail(error: unknown): never {
    failure ??= { error };
    onFailure(error);
    throw storageUnavailable(error);
  }

  return {
    get trusted() {
      return failure === undefined;
    },
    async ready() {
      if (failure === undefined) return;
      if (probing === undefined) {
        if (performance.now() - probedAt < probeEveryMs) throw storageUnavailable(failure.error);
        probedAt = performance.now();
        probing = probe().finally(() => {
          probing = undefined;
        });
      }
      try {
        await probing;
        failure = undefined;
      } catch (error) {
        throw storageUnavailable(error);
      }
    },
    watch(watched) {
      return {
        ...watched,
        syncData: (fd) => watched.syncData(fd).catch(fail),
        syncDirectory: (path) =>
          watched.syncDirectory(path).catch((error: unknown) => {
            // The folder was not opened, so nothing was synced and nothing is lost: its sync can be tried again.
            if (hasTooManyFiles(error)) throw error;
            fail(error);
          }),
      };
    },
  };
}
