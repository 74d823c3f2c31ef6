import { setTimeout } from 'node:timers/promises';
import type { RunContext } from '../../runs/index.ts';
import { isStorageFull } from '../../storage/database/sql.ts';
import type { DiskMeasure } from '../../storage/disk-space/index.ts';
import type { Tx } from '../../storage/database/database.ts';
import { AppError } from '../../kernel/errors.ts';

/** Free space that a document needs; text, chunks, vectors and their logs add a few times its size each. */
const leastRoom = 16 << 20;
const roomPerByte = 16;
const pollMs = 1_000;
/** Failures to tolerate while the disk seems to have room: the cause may be a quota, which cannot be measured. */
const mostUnexplained = 4;

/** Whether a failure means that storage is full. */
export function isFull(error: unknown): boolean {
  return isStorageFull(error) || (error instanceof AppError && error.kind === 'out-of-storage');
}

/** Ids of documents and rebuilds waiting for space; in memory, as a full disk may not let the database record it. */
export type WaitingForSpace = Set<string>;

/** Waits out a full disk, so that work continues by itself when there is space again. */
export type SpaceWait = {
  /** After a failure: true once there is room for `sizeBytes`; false if disk space does not explain the failure. */
  mayComeBack(sizeBytes: number): Promise<boolean>;
  /** Resolves when there is room; throws the signal's reason after an abort. */
  untilRoom(sizeBytes: number): Promise<void>;
};

export function createSpaceWait(
  {
    measureSpace,
    waitingForSpace,
  }: { measureSpace(): Promise<Pick<DiskMeasure, 'state' | 'freeBytes'>>; waitingForSpace: WaitingForSpace },
  { checkpoint, signal }: Pick<RunContext, 'checkpoint' | 'signal'>,
  /** The waiter's id, and how to record that it waits. */
  waiter: { id: string; say(tx: Tx): Promise<void> },
): SpaceWait {
  let unexplained = 0;

  async function hasRoom(sizeBytes: number): Promise<boolean> {
    const { state, freeBytes } = await measureSpace();
    return state !== 'FULL' && freeBytes >= leastRoom + roomPerByte * sizeBytes;
  }

  async function untilRoom(sizeBytes: number): Promise<void> {
    waitingForSpace.add(waiter.id);
    try {
      while (!(await hasRoom(sizeBytes))) await setTimeout(pollMs, undefined, { signal });
    } finally {
      waitingForSpace.delete(waiter.id);
    }
  }

  return {
    untilRoom,
    async mayComeBack(sizeBytes) {
      if (await hasRoom(sizeBytes)) {
        unexplained += 1;
        if (unexplained > mostUnexplained) return false;
        await setTimeout(pollMs * 2 ** unexplained, undefined, { signal });
        return true;
      }
      try {
        await checkpoint({}, waiter.say);
      } catch (error) {
        // It waits even if that could not be recorded.
        if (!isStorageFull(error)) throw error;
      }
      await untilRoom(sizeBytes);
      return true;
    },
  };
}
