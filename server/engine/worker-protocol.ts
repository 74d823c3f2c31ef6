import type { ShardResult } from './shard.ts';

/** What a worker thread is born with. */
export type WorkerSetup = {
  /** Module whose `operators` are all that this worker can run. */
  operatorsUrl: string;
  /** Shared with the thread that watches: see `progressSlots`. */
  progress: SharedArrayBuffer;
};

/** Places in the shared progress: 1 while a shard is worked on, the sample's number within it, the step's index (-1: reading). */
export const progressSlots = { running: 0, ordinal: 1, step: 2, length: 3 } as const;

export type WorkerAnswer =
  | { kind: 'done'; result: ShardResult }
  | { kind: 'failed'; isSetup: boolean; message: string; stack: string };
