import { constants } from 'node:fs';
import { newId } from '../../../kernel/ids.ts';
import type { BlobFolders } from '../files/blob-folders.ts';
import { blockBytes } from '../files/buffer-pool.ts';
import { writeAll, type FileOperations } from '../files/file-operations.ts';
import { createGatherMemory, type GatheringPack } from './gather-memory.ts';
import { recordHeaderBytes, writeRecordHeader } from './pack-format.ts';
import type { ObjectHolds, StagedBlobs } from '../staged-blobs.ts';

export type PackPlace = { kind: 'pack'; objectId: string; offset: number };

/** Appends small blobs to the current pack; the bytes of all writers are gathered in memory and written in large writes. */
export type PackWriter = {
  /** A returned promise means that the disk is behind: await it before the next append. */
  room(): Promise<void> | undefined;
  /** Assigns the blob a place and stages it, under its own id or `stagedAs`; copies `bytes`. */
  append(blob: { id: string; crc32: number; bytes: Uint8Array; stagedAs?: string }): PackPlace;
  /** Resolves when everything appended before the call survives power loss. */
  flush(): Promise<void>;
  /** Stops appending to the current pack because its last sync failed. Its bytes that aren't durable are lost. */
  abandonCurrent(): void;
  /** Stops appending to this pack; it is closed once all of it survives power loss. */
  retire(objectId: string): Promise<void>;
  /** Whether a pack is being written to, or may still be. */
  isOpen(objectId: string): boolean;
  close(): Promise<void>;
};

type Pack = GatheringPack & {
  readonly id: string;
  fd: number | undefined;
  /** Blobs in `gathered`, and blobs written but not yet synced. */
  unwritten: string[];
  unsynced: string[];
};

/** Appended bytes that may wait for the disk before writers have to wait too. */
const maxGatheredBytes = 8 * 1024 * 1024;

export function createPackWriter(options: {
  operations: FileOperations;
  folders: BlobFolders;
  staged: StagedBlobs;
  holds: ObjectHolds;
  maxBytes: number;
  /** A pack of an earlier process with room left. */
  resume: { objectId: string; sizeBytes: number } | undefined;
  /** Gives each group of blobs its own pack, for stores where packs can't grow. */
  isPackPerGroup?: boolean;
}): PackWriter {
  const { operations, folders, staged, holds, maxBytes, isPackPerGroup = false } = options;
  let current: Pack | undefined;
  /** Packs with bytes that are not durable yet, or that are about to be closed. */
  const open = new Set<Pack>();
  const memory = createGatherMemory();
  let work: Promise<void> = Promise.resolve();
  const resume = options.resume;
  // The last process may have left a torn record at the end; starting at a block boundary skips it.
  if (resume !== undefined && resume.sizeBytes < maxBytes) {
    current = openPack(resume.objectId, Math.ceil(resume.sizeBytes / blockBytes) * blockBytes);
  }

  function openPack(id: string, end: number): Pack {
    const pack: Pack = { id, fd: undefined, end, gathered: [], unwritten: [], unsynced: [] };
    open.add(pack);
    holds.hold(id);
    return pack;
  }

  /** Runs steps one at a time, even if the previous one failed. */
  function inTurn(step: () => Promise<void>): Promise<void> {
    const turn = work.then(step, step);
    work = turn.catch(() => {});
    return turn;
  }

  async function descriptorOf(pack: Pack): Promise<number> {
    if (pack.fd !== undefined) return pack.fd;
    const fd = await operations.open(folders.packPath(pack.id), constants.O_RDWR | constants.O_CREAT);
    try {
      await operations.syncDirectory(folders.packs);
    } catch (error) {
      await operations.close(fd);
      throw error;
    }
    pack.fd = fd;
    return fd;
  }

  /** Writes the gathered records; blobs that can't be written are lost, and their places stay holes. */
  async function writeOut(pack: Pack): Promise<void> {
    const { gathered, unwritten } = pack;
    if (gathered.length === 0) return;
    pack.gathered = [];
    pack.unwritten = [];
    try {
      const fd = await descriptorOf(pack);
      for (const piece of gathered) {
        await writeAll(operations, fd, piece.bytes.subarray(0, piece.length), piece.position);
      }
      pack.unsynced = pack.unsynced.concat(unwritten);
    } catch (error) {
      staged.markLost(unwritten, error);
      throw error;
    } finally {
      memory.reuse(gathered);
    }
  }

  async function sync(pack: Pack): Promise<void> {
    if (pack.unsynced.length > 0 && pack.fd !== undefined) {
      const { unsynced } = pack;
      pack.unsynced = [];
      try {
        await operations.syncData(pack.fd);
      } catch (error) {
        staged.markLost(unsynced, error);
        throw error;
      }
      staged.markDurable(unsynced);
    }
    if (pack !== current && pack.gathered.length === 0) await closePack(pack);
  }

  async function closePack(pack: Pack): Promise<void> {
    if (!open.delete(pack)) return;
    holds.release(pack.id);
    if (pack.fd !== undefined) await operations.close(pack.fd);
  }

  async function flushAll(): Promise<void> {
    const failures: unknown[] = [];
    if (isPackPerGroup) current = undefined;
    // Excludes packs started meanwhile: the next group would write their objects a second time.
    const begun = [...open];
    for (const pack of begun) {
      try {
        await writeOut(pack);
      } catch (error) {
        failures.push(error);
      }
      try {
        await sync(pack);
      } catch (error) {
        failures.unshift(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  const header = Buffer.alloc(recordHeaderBytes);

  return {
    room() {
      if (memory.usedBytes < maxGatheredBytes) return undefined;
      // `flush` and `adopt` report a failure: the affected blobs are marked.
      return inTurn(async () => {
        if (isPackPerGroup) return flushAll();
        for (const pack of open) await writeOut(pack);
      }).catch(() => {});
    },
    append({ id, crc32, bytes, stagedAs = id }) {
      if (current !== undefined && current.end + recordHeaderBytes + bytes.length > maxBytes) current = undefined;
      current ??= openPack(newId(), 0);
      const pack = current;
      writeRecordHeader(header, 0, { blobId: id, sizeBytes: bytes.length, crc32 });
      memory.append(pack, header);
      const place: PackPlace = { kind: 'pack', objectId: pack.id, offset: pack.end };
      memory.append(pack, bytes);
      pack.unwritten.push(stagedAs);
      staged.add(stagedAs, pack.id, false);
      return place;
    },
    flush: () => inTurn(flushAll),
    abandonCurrent() {
      for (const pack of open) {
        memory.drop(pack.gathered);
        pack.gathered = [];
        pack.unwritten = [];
        pack.unsynced = [];
      }
      current = undefined;
    },
    async retire(objectId) {
      if (current?.id === objectId) current = undefined;
      await inTurn(flushAll);
    },
    isOpen: (objectId) => [...open].some((pack) => pack.id === objectId),
    async close() {
      try {
        await inTurn(flushAll);
      } finally {
        for (const pack of open) await closePack(pack);
      }
    },
  };
}
