import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createBackgroundTask } from '../../../kernel/background-task.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { TableUses } from './table-uses.ts';

/** Limits the space of table indexes: deletes those whose content is gone and, beyond the limit, the least recently used. */
export type ViewSpace = {
  /** Deletes indexes, which can be rebuilt, until a new one has room; throws ENOSPC if it exceeds even all free bytes. */
  makeRoom(neededBytes: number): Promise<void>;
  start(): void;
  /** Call when an index was made: looks for others to delete. */
  wake(): void;
  /** Call when content is being erased: deletes its indexes soon after its bytes. */
  wakeSoon(): void;
  stop(): Promise<void>;
  /** Erases the indexes of blobs; returns how many blobs had some. */
  erase(blobIds: ReadonlySet<string>): Promise<number>;
};

/** Interval of checking whether others need the space. */
const lookEveryMs = 20_000;
const sweepEveryMs = 600_000;
/** Unless the disk is nearly full, an index used within this time stays: it would only be rebuilt. */
const inUseMs = 600_000;
const sweepSoonMs = 2_000;
/** Most lists of chosen rows kept per table. */
const maxLists = 20;

/** The free space of the indexes' disk, and how much of it to leave for other uses. */
export type ViewRoom = { measure(): Promise<{ freeBytes: number }>; spareBytes: number };

export function createViewSpace({
  directory,
  maxBytes,
  room,
  blobs,
  isBusy,
  uses,
  onError,
}: {
  directory: string;
  /** Limit for all indexes together. */
  maxBytes: number;
  /** Without it, they are bounded by `maxBytes` alone. */
  room: ViewRoom | undefined;
  blobs: Pick<BlobStore, 'findAll'>;
  /** Whether files of the blob are being made. */
  isBusy(blobId: string): boolean;
  uses: TableUses;
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

  /** Free bytes beyond what others need; negative if there are too few. */
  async function spareBytes(): Promise<number> {
    return (await freeBytes()) - (room?.spareBytes ?? 0);
  }

  async function look(): Promise<void> {
    if (performance.now() - sweptAt < sweepEveryMs && !isSweepWanted && (await spareBytes()) >= 0) return;
    isSweepWanted = false;
    await sweepOnce(0);
    sweptAt = performance.now();
  }

  /** Frees `neededBytes` of the disk beyond what others need, if possible. */
  async function sweepOnce(neededBytes: number): Promise<void> {
    const files = await listFiles();
    const known = new Set((await blobs.findAll([...files.keys()])).map(({ id }) => id));
    const kept: { id: string; bytes: number; usedAt: number }[] = [];
    for (const id of files.keys()) {
      await uses.removeUnused(id, async () => {
        // Work that has ended since the files were listed has completed them, and other work may have begun.
        const names = (await listFiles()).get(id) ?? [];
        if (isBusy(id)) return;
        // Also remove what an earlier process left unfinished.
        if (!known.has(id) || !isComplete(names)) await remove(names);
        else kept.push({ id, ...(await measure(await withoutOldLists(await withoutParts(names)))) });
      });
    }
    let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
    const free = await freeBytes();
    const lackingBytes = (room?.spareBytes ?? 0) + neededBytes - free;
    const isNearlyFull = room !== undefined && free < neededBytes + room.spareBytes / 8;
    const spared = isNearlyFull ? Number.POSITIVE_INFINITY : Date.now() - inUseMs;
    const target = bytes - lackingBytes;
    for (const one of kept.toSorted((left, right) => left.usedAt - right.usedAt)) {
      if (bytes <= maxBytes && (bytes <= target || one.usedAt > spared)) return;
      const isRemoved = await uses.removeUnused(one.id, async () => {
        if (!isBusy(one.id)) await remove((await listFiles()).get(one.id) ?? []);
      });
      if (isRemoved) bytes -= one.bytes;
    }
  }

  /** Deletes partial files of ended work, and returns the other names: some files of a table may be complete and others not. */
  async function withoutParts(names: readonly string[]): Promise<string[]> {
    const parts = new Set(names.filter((name) => /\.new(?:\.|$)/.test(name)));
    await remove([...parts]);
    return names.filter((name) => !parts.has(name));
  }

  /** Deletes all but the newest lists of chosen rows, and returns the other names. */
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

  /** Removes facts first: without them, there is no index. */
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

/** Whether a table has facts, which are written last. */
function isComplete(names: readonly string[]): boolean {
  return names.some((name) => name.endsWith('.json'));
}
