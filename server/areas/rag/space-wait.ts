import { setTimeout } from 'node:timers/promises';
import type { RunContext } from '../../runs/index.ts';
import { isStorageFull } from '../../storage/database/sql.ts';
import type { DiskMeasure } from '../../storage/disk-space/index.ts';
import type { Tx } from '../../storage/database/database.ts';
import { AppError } from '../../kernel/errors.ts';

/** What a document needs beside its text, chunks, vectors and their logs, each a few times its bytes. */
const leastRoom = 16 << 20;
const roomPerByte = 16;
const pollMs = 1_000;
/** Failures while the disk seems to have room: a quota, which nobody can measure. */
const mostUnexplained = 4;

/** Whether a failure says that there is no space. */
export function isFull(error: unknown): boolean {
  return isStorageFull(error) || (error instanceof AppError && error.kind === 'out-of-storage');
}

/** Documents, and indexes that are made, that wait for space in this process: on a disk that is full to its last page the database can't say so. */
export type WaitingForSpace = Set<string>;

/** Lets what a full disk stopped go on by itself when there is space again. */
export type SpaceWait = {
  /** After a failure: resolves when there is room for a document of so many bytes, or with false if the disk does not explain the failure. */
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
  /** Its id, and where it says that it waits. */
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
        // It waits all the same.
        if (!isStorageFull(error)) throw error;
      }
      await untilRoom(sizeBytes);
      return true;
    },
  };
}
