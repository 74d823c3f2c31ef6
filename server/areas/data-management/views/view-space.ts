import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createBackgroundTask } from '../../../kernel/background-task.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';

/** The space that the indexes of tables take: deletes those whose content is gone, and those unused for longest beyond the limit. */
export type ViewSpace = {
  /** Deletes indexes that can be made again until there is room for one more; throws ENOSPC if it would not even fit. */
  makeRoom(neededBytes: number): Promise<void>;
  start(): void;
  /** An index was made: looks for others to delete. */
  wake(): void;
  /** Content is going: looks for its indexes as soon as its bytes are erased. */
  wakeSoon(): void;
  stop(): Promise<void>;
  /** Erases the indexes of blobs; returns how many blobs had some. */
  erase(blobIds: ReadonlySet<string>): Promise<number>;
};

/** Space that others need is given back soon. */
const lookEveryMs = 20_000;
const sweepEveryMs = 600_000;
/** While the disk is not nearly full, what somebody has just looked at stays: it would only be made again. */
const inUseMs = 600_000;
const sweepSoonMs = 2_000;
/** Lists of chosen rows that are kept of a table. */
const maxLists = 20;

/** The disk that the indexes are on, and how much of it others need. */
export type ViewRoom = { measure(): Promise<{ freeBytes: number }>; spareBytes: number };

export function createViewSpace({
  directory,
  maxBytes,
  room,
  blobs,
  isBusy,
  onError,
}: {
  directory: string;
  /** Of all indexes together. */
  maxBytes: number;
  /** Without it, they are bounded by `maxBytes` alone. */
  room: ViewRoom | undefined;
  blobs: Pick<BlobStore, 'findAll'>;
  /** Whether files of the blob are being made or read. */
  isBusy(blobId: string): boolean;
  onError(error: unknown): void;
}): ViewSpace {
  let soon: NodeJS.Timeout | undefined;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let isSweepWanted = false;

  /** Files by the blob that they belong to. */
  async function listFiles(): Promise<Map<string, string[]>> {
    const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return Map.groupBy(names, (name) => name.split('.')[0] ?? '');
  }

  async function freeBytes(): Promise<number> {
    return room === undefined ? Number.POSITIVE_INFINITY : (await room.measure()).freeBytes;
  }

  /** Bytes that are free beyond what others need; negative if they lack some. */
  async function spareBytes(): Promise<number> {
    return (await freeBytes()) - (room?.spareBytes ?? 0);
  }

  async function look(): Promise<void> {
    if (performance.now() - sweptAt < sweepEveryMs && !isSweepWanted && (await spareBytes()) >= 0) return;
    isSweepWanted = false;
    await sweepOnce(0);
    sweptAt = performance.now();
  }

  /** Leaves `neededBytes` of the disk free beyond what others need, if that can be. */
  async function sweepOnce(neededBytes: number): Promise<void> {
    const files = await listFiles();
    const known = new Set((await blobs.findAll([...files.keys()])).map(({ id }) => id));
    const kept: { names: string[]; bytes: number; usedAt: number }[] = [];
    for (const [id, names] of files) {
      // Work may have begun since the last one was looked at.
      if (isBusy(id)) continue;
      // What an earlier process left unfinished goes, too.
      const isComplete = names.some((name) => name.endsWith('.json'));
      if (!known.has(id) || !isComplete) await remove(names);
      else kept.push({ names, ...(await measure(await withoutOldLists(await withoutParts(names)))) });
    }
    let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
    const free = await freeBytes();
    const lackingBytes = (room?.spareBytes ?? 0) + neededBytes - free;
    const isNearlyFull = room !== undefined && free < neededBytes + room.spareBytes / 8;
    const spared = isNearlyFull ? Number.POSITIVE_INFINITY : Date.now() - inUseMs;
    const target = bytes - lackingBytes;
    for (const one of kept.toSorted((left, right) => left.usedAt - right.usedAt)) {
      if (bytes <= maxBytes && (bytes <= target || one.usedAt > spared)) return;
      await remove(one.names);
      bytes -= one.bytes;
    }
  }

  /** Without what was being written when its work ended, which it deletes: one part of a table may be complete, and another not. */
  async function withoutParts(names: readonly string[]): Promise<string[]> {
    const parts = new Set(names.filter((name) => /\.new(?:\.|$)/.test(name)));
    await remove([...parts]);
    return names.filter((name) => !parts.has(name));
  }

  /** Without the lists of chosen rows beyond the newest ones, which it deletes. */
  async function withoutOldLists(names: readonly string[]): Promise<string[]> {
    const lists = names.filter((name) => name.endsWith('.list'));
    const ages = await Promise.all(lists.map(async (name) => ({ name, ...(await measure([`${name}.facts`])) })));
    const old = ages.toSorted((left, right) => right.usedAt - left.usedAt).slice(maxLists);
    const gone = new Set(old.flatMap(({ name }) => [`${name}.facts`, name]));
    await remove([...gone]);
    return names.filter((name) => !gone.has(name));
  }

  async function measure(names: readonly string[]): Promise<{ bytes: number; usedAt: number }> {
    let [bytes, usedAt] = [0, 0];
    for (const name of names) {
      const found = await stat(join(directory, name)).catch(() => undefined);
      bytes += found?.size ?? 0;
      usedAt = Math.max(usedAt, found?.mtimeMs ?? 0);
    }
    return { bytes, usedAt };
  }

  /** Facts first: without them, there is no index. */
  async function remove(names: readonly string[]): Promise<void> {
    const facts = (name: string): number => (/\.(?:json|facts)$/.test(name) ? 0 : 1);
    for (const name of names.toSorted((left, right) => facts(left) - facts(right)))
      await rm(join(directory, name), { force: true, recursive: true });
  }

  const sweep = createBackgroundTask({ everyMs: room === undefined ? sweepEveryMs : lookEveryMs, work: look, onError });

  function wake(): void {
    isSweepWanted = true;
    sweep.wake();
  }

  return {
    async makeRoom(neededBytes) {
      if ((await spareBytes()) >= neededBytes) return;
      await sweepOnce(neededBytes);
      if ((await freeBytes()) >= neededBytes) return;
      throw Object.assign(new Error('The disk has no room for the index of a table'), { code: 'ENOSPC' });
    },
    start: () => sweep.start(),
    wake,
    wakeSoon() {
      // The transaction commits, then the store forgets the blob.
      soon ??= setTimeout(() => {
        soon = undefined;
        wake();
      }, sweepSoonMs).unref();
    },
    async stop() {
      clearTimeout(soon);
      await sweep.stop();
    },
    async erase(blobIds) {
      let erased = 0;
      for (const [id, names] of await listFiles()) {
        if (!blobIds.has(id)) continue;
        await remove(names);
        erased += 1;
      }
      return erased;
    },
  };
}
