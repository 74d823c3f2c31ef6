import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isStorageFull } from '../database/sql.ts';
import { isFreeingSpace } from './freeing.ts';
import { createReserveFiles } from './reserve-files.ts';

export type ReserveState =
  /** Disabled by setting. */
  | 'OFF'
  /** Not created yet, or no room for it. */
  | 'MISSING'
  | 'HELD'
  /** Released for deletions; no other write is allowed until it is created again. */
  | 'IN_USE';

/** Free space on the disk of a data folder. FULL: writes are refused. */
export type DiskMeasure = {
  state: 'OK' | 'LOW' | 'FULL';
  freeBytes: number;
  totalBytes: number;
  /** Null where the file system doesn't count inodes. */
  freeInodes: number | null;
  reserve: { state: ReserveState; sizeBytes: number };
};

/**
 * Watches the free space and keeps a reserve so that a full disk can still be cleaned up: deletions need space too, for the
 * database's log and for compacting packs.
 */
export type DiskSpace = {
  measure(): Promise<DiskMeasure>;
  /** Whether the caller may write: always, unless the reserve is in use; then only work that frees space. */
  mayWrite(): boolean;
  /** Whether space was short at the last measurement. */
  isShort(): boolean;
  /** Retries work once, with the reserve released, if it failed on a full disk. A failed `attempt` must leave no trace. */
  withReserve<T>(attempt: () => Promise<T>): Promise<T>;
  /** Starts watching space: creates the reserve when there is room, and restricts its use. */
  start(): void;
  close(): Promise<void>;
};

const mebibyte = 1024 * 1024;

/** With less than this, a service can't even start, because the database's log and index need it. */
const startBytes = 4 * mebibyte;
const startInodes = 8;
/** Below this, no data can be received, with or without the reserve. */
const fullBytes = 256 * 1024;
/** Inodes count as low below this, where the file system counts them. */
const lowInodes = 1000;
/** The reserve's own files plus two spare. */
const inodesForReserve = 10;

const watchEveryMs = 10_000;
/** Check often while the reserve is in use: writers wait for it to be created again. */
const watchInUseEveryMs = 500;

/** The error of a write that may not use the reserve: the same as on a full disk. */
export function diskFull(): Error {
  return Object.assign(new Error('ENOSPC: the disk is full, what is left is kept for deletions'), { code: 'ENOSPC' });
}

/** Opens the reserve of a data folder that this process has locked; on a full disk, releases it at once. */
export async function openDiskSpace(options: {
  directory: string;
  reserveBytes: number;
  /** Free space below this counts as low. */
  lowBytes: number;
  logger: { warn(details: object, message: string): void; info(details: object, message: string): void };
}): Promise<DiskSpace> {
  const { directory, reserveBytes, lowBytes, logger } = options;
  const files = createReserveFiles(join(directory, 'reserve'), reserveBytes);
  let reserve: ReserveState = reserveBytes === 0 ? 'OFF' : 'MISSING';
  let watching = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  /** Incremented each time the reserve is released. */
  let releases = 0;
  let last = await look();

  async function measure(): Promise<DiskMeasure> {
    last = await look();
    return last;
  }

  async function look(): Promise<DiskMeasure> {
    const { bavail, bsize, blocks, ffree, files: inodes } = await statfs(directory);
    const freeBytes = bavail * bsize;
    const freeInodes = inodes === 0 ? null : ffree;
    const isFull = reserve === 'IN_USE' || freeBytes < fullBytes || freeInodes === 0;
    const isLow = freeBytes < lowBytes || (freeInodes !== null && freeInodes < lowInodes);
    return {
      state: isFull ? 'FULL' : isLow ? 'LOW' : 'OK',
      freeBytes,
      totalBytes: blocks * bsize,
      freeInodes,
      reserve: { state: reserve, sizeBytes: reserveBytes },
    };
  }

  /** Creating and releasing the reserve run one at a time. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const result = turn.then(step);
    turn = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  async function giveBack(): Promise<boolean> {
    if (!(await files.remove())) return false;
    releases += 1;
    reserve = 'IN_USE';
    await measure();
    logger.warn(
      { freeBytes: last.freeBytes, reserveBytes },
      'The disk is full: its reserve is given back, only deletions may write until space is back',
    );
    schedule();
    return true;
  }

  async function makeIfRoom(): Promise<void> {
    if (closed || reserve === 'HELD' || reserve === 'OFF') return;
    const { freeBytes, freeInodes } = await measure();
    // Leave space beside the reserve, or the next write would release it again.
    const room = reserveBytes + Math.max(mebibyte, reserveBytes / 16);
    if (freeBytes < room || (freeInodes !== null && freeInodes < inodesForReserve)) return;
    const wasInUse = reserve === 'IN_USE';
    try {
      await files.fill();
    } catch (error) {
      if (isStorageFull(error)) return;
      throw error;
    }
    reserve = 'HELD';
    await measure();
    if (wasInUse) logger.info({ freeBytes: last.freeBytes, reserveBytes }, 'There is space again: the reserve is back');
  }

  function schedule(): void {
    clearTimeout(timer);
    if (!watching || closed) return;
    timer = setTimeout(watch, reserve === 'IN_USE' ? watchInUseEveryMs : watchEveryMs).unref();
  }

  function watch(): void {
    inTurn(async () => {
      await makeIfRoom();
      await measure();
    })
      .catch((error: unknown) => logger.warn({ err: error }, 'The space of the disk could not be looked after'))
      .finally(schedule);
  }

  if (reserveBytes === 0) await files.remove();
  else {
    const heldBytes = await files.heldBytes();
    // A larger reserve was created under another setting: it is created again.
    if (heldBytes >= reserveBytes && heldBytes < reserveBytes + mebibyte) reserve = 'HELD';
  }
  if (last.freeBytes < startBytes || (last.freeInodes !== null && last.freeInodes < startInodes)) await giveBack();

  return {
    measure,
    mayWrite: () => reserve !== 'IN_USE' || !watching || isFreeingSpace(),
    isShort: () => last.state !== 'OK',
    async withReserve(attempt) {
      const before = releases;
      try {
        return await attempt();
      } catch (error) {
        if (!isOfFullDisk(error) || !isFreeingSpace()) throw error;
        // Another caller may have released the reserve meanwhile.
        const given = await inTurn(async () => releases !== before || giveBack());
        if (!given) throw error;
        return attempt();
      }
    },
    start() {
      watching = true;
      watch();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await turn;
    },
  };
}

/** Checks all causes, because upper layers may have wrapped the error. */
function isOfFullDisk(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (isStorageFull(cause)) return true;
  return false;
}
