import { constants } from 'node:fs';
import { mkdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isStorageFull } from '../../database/sql.ts';
import { blobErrors, asStorageError } from '../errors.ts';
import type { BlobRange } from '../blob-store.ts';
import { fileOperations, writeAll, type FileOperations } from '../files/file-operations.ts';
import { diskFull, type DiskSpace } from '../../disk-space/index.ts';

type Wanted = { id: string; ranges: readonly BlobRange[] };

type Load = (target: Uint8Array, position: number) => Promise<number>;

/**
 * Copies of stored bytes on the local disk, for readers that need a path. A copy of ranges is a sparse file with the bytes at their
 * offsets in the blob. Unused copies stay until their space is needed or they have been idle for a while; `close` removes all.
 */
export type ScratchCopies = {
  acquire(wanted: Wanted, load: Load): Promise<{ path: string; release(): Promise<void> }>;
  /** Call when blobs are erased: their copies are removed as soon as they are unused. */
  forget(ids: readonly string[]): void;
  close(): Promise<void>;
};

type Copy = Wanted & { path: string; users: number; idleSince: number; isForgotten: boolean; ready: Promise<void> };

const pieceBytes = 4 * 1024 * 1024;
const idleMs = 10 * 60_000;
const watchMs = 5_000;
const forNewFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

export async function createScratchCopies(options: {
  directory: string;
  maxBytes: number;
  space: Pick<DiskSpace, 'mayWrite'>;
  operations?: FileOperations;
}): Promise<ScratchCopies> {
  const { directory, maxBytes, space, operations = fileOperations } = options;
  // Left by a process that was killed.
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const copies = new Set<Copy>();
  let used = 0;
  let lastNo = 0;

  const sizeOf = ({ ranges }: Wanted): number => ranges.reduce((sum, { from, to }) => sum + (to - from), 0);

  async function erase(copy: Copy): Promise<void> {
    if (!copies.delete(copy)) return;
    used -= sizeOf(copy);
    await unlink(copy.path).catch(() => {});
  }

  /** Reserves the bytes after erasing unused copies: expired ones, and as many more as needed. */
  async function makeRoom(bytes: number): Promise<void> {
    const idle = [...copies].filter(({ users }) => users === 0).sort((a, b) => a.idleSince - b.idleSince);
    for (const copy of idle) {
      const isOld = performance.now() - copy.idleSince > idleMs;
      if (isOld || used + bytes > maxBytes) await erase(copy);
    }
    if (used + bytes > maxBytes)
      throw blobErrors.STORAGE_SCRATCH_FULL({ bytes, limit: Math.floor(maxBytes / 1024 / 1024) });
    used += bytes;
  }

  async function fill(copy: Copy, load: Load): Promise<void> {
    const file = await operations.open(copy.path, forNewFile);
    try {
      const buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, sizeOf(copy)));
      for (const { from, to } of copy.ranges) {
        for (let position = from; position < to;) {
          if (!space.mayWrite()) throw diskFull();
          const piece = buffer.subarray(0, to - position);
          const count = await load(piece, position);
          // A disk that fills up accepts a part of the bytes without an error.
          await writeAll(operations, file, piece.subarray(0, count), position);
          position += count;
        }
      }
    } finally {
      await operations.close(file);
    }
  }

  /** The disk may be smaller than the limit: on a full disk, erases unused copies and retries once. */
  async function fillOrMakeRoom(copy: Copy, load: Load): Promise<void> {
    try {
      await fill(copy, load).catch(async (error: unknown) => {
        if (!isStorageFull(error) || !(await eraseIdle())) throw error;
        await unlink(copy.path).catch(() => {});
        await fill(copy, load);
      });
    } catch (error) {
      throw asStorageError(error);
    }
  }

  /** Erases all unused copies; returns whether there were any. */
  async function eraseIdle(): Promise<boolean> {
    const idle = [...copies].filter(({ users }) => users === 0);
    for (const copy of idle) await erase(copy);
    return idle.length > 0;
  }

  const timer = setInterval(() => void makeRoom(0), idleMs / 2).unref();
  // Other writers need space on the same disk too.
  const watch = setInterval(() => {
    if (!space.mayWrite()) void eraseIdle();
  }, watchMs).unref();

  return {
    async acquire(wanted, load) {
      let copy = [...copies].find((known) => holds(known, wanted));
      if (copy === undefined) {
        await makeRoom(sizeOf(wanted));
        copy = {
          ...wanted,
          path: join(directory, `${wanted.id}-${++lastNo}`),
          users: 0,
          idleSince: performance.now(),
          isForgotten: false,
          ready: Promise.resolve(),
        };
        copies.add(copy);
        copy.ready = fillOrMakeRoom(copy, load);
      }
      const taken = copy;
      taken.users++;
      try {
        await taken.ready;
      } catch (error) {
        taken.users--;
        await erase(taken);
        throw error;
      }
      let isHeld = true;
      return {
        path: taken.path,
        async release() {
          if (!isHeld) return;
          isHeld = false;
          taken.users--;
          taken.idleSince = performance.now();
          if (taken.isForgotten && taken.users === 0) await erase(taken);
        },
      };
    },
    forget(ids) {
      const erased = new Set(ids);
      for (const copy of copies) {
        if (!erased.has(copy.id)) continue;
        copy.isForgotten = true;
        if (copy.users === 0) void erase(copy);
      }
    },
    async close() {
      clearInterval(timer);
      clearInterval(watch);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Whether a copy contains all wanted bytes. */
function holds(copy: Wanted, { id, ranges }: Wanted): boolean {
  if (copy.id !== id) return false;
  return ranges.every(({ from, to }) => copy.ranges.some((held) => held.from <= from && held.to >= to));
}
