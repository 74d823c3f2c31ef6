import { startThread, type RunningThread } from '../../../processes/thread-calls.ts';
import { createWorkerCalls, type WorkerCalls } from './model-calls.ts';
import {
  progressSlots,
  type WorkerAnswer,
  type WorkerMessage,
  type WorkerSetup,
} from '../../orders/worker-protocol.ts';

/**
 * Three semispaces of 8 MiB, because samples become garbage at once. With the default of 16 MiB, deduplication peaks at
 * 43 to 88 MiB instead of 25, in the same time.
 */
const youngGenerationMb = 24;

export type WorkerThread = {
  thread: RunningThread<WorkerMessage, WorkerAnswer>;
  calls: WorkerCalls;
  progress: Int32Array<SharedArrayBuffer>;
};

/** Threads that do one order at a time, shared by any pools: a thread started for a run may serve a preview next. */
export type ThreadSupply = {
  readonly memoryMb: number;
  /**
   * Takes an idle thread, preferably one that `user` had before, which has its packages loaded; starts one if none is
   * idle.
   */
  take(user: object): WorkerThread;
  /** Gives back a thread that has answered. Otherwise, the caller that took it must terminate it. */
  giveBack(user: object, taken: WorkerThread): void;
  /** Ends the idle threads now, and others when they are given back. */
  close(): Promise<void>;
};

export type ThreadSupplyOptions = {
  /** Module whose `operators` are the ones that the threads can run. */
  operatorsUrl: string;
  /** Heap of a thread; exceeding it kills only this thread. */
  memoryMb: number;
};

export function createThreadSupply({ operatorsUrl, memoryMb }: ThreadSupplyOptions): ThreadSupply {
  const idle: { user: object; held: WorkerThread }[] = [];
  let closed = false;

  function forget(held: WorkerThread): void {
    const at = idle.findIndex((one) => one.held === held);
    if (at >= 0) idle.splice(at, 1);
    held.calls.close();
  }

  function start(): WorkerThread {
    const calls = createWorkerCalls();
    const progress = new Int32Array(new SharedArrayBuffer(4 * progressSlots.length));
    const setup: WorkerSetup = { operatorsUrl, progress: progress.buffer, models: calls.port };
    const thread = startThread<WorkerMessage, WorkerAnswer>({
      module: new URL('../../work/worker.ts', import.meta.url),
      name: 'run-worker',
      workerData: setup,
      transferList: [calls.port],
      // The sandbox searches for bubblewrap.
      env: { PATH: process.env['PATH'] ?? '' },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngGenerationMb },
    });
    thread.hold(true);
    const held = { thread, calls, progress };
    thread.worker.once('exit', () => forget(held));
    return held;
  }

  function take(user: object): WorkerThread {
    const own = idle.findLastIndex((one) => one.user === user);
    // If `user` has none (-1), takes the thread given back last.
    const [found] = idle.splice(own, 1);
    if (found === undefined) return start();
    // A dying thread may still be listed.
    return found.held.thread.hasEnded ? take(user) : found.held;
  }

  return {
    memoryMb,
    take,
    giveBack(user, taken) {
      if (closed) void taken.thread.end();
      else idle.push({ user, held: taken });
    },
    async close() {
      closed = true;
      await Promise.all(idle.splice(0).map(({ held }) => held.thread.end()));
    },
  };
}
