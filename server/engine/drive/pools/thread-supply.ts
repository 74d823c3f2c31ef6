import { startThread, type RunningThread } from '../../../processes/thread-calls.ts';
import { createWorkerCalls, type WorkerCalls } from './model-calls.ts';
import {
  progressSlots,
  type WorkerAnswer,
  type WorkerMessage,
  type WorkerSetup,
} from '../../orders/worker-protocol.ts';

/** Three semispaces of 8 MiB: samples are garbage at once. With the default of 16 MiB, the peak of deduplication is 43 to 88 MiB in place of 25, in the same time. */
const youngGenerationMb = 24;

export type WorkerThread = {
  thread: RunningThread<WorkerMessage, WorkerAnswer>;
  calls: WorkerCalls;
  progress: Int32Array<SharedArrayBuffer>;
};

/** Threads that do one order at a time, for any pool: one that was started for a run serves a preview next. */
export type ThreadSupply = {
  readonly memoryMb: number;
  /** An idle thread, first one that `user` has had before, which knows its packages; a new one if there is none. */
  take(user: object): WorkerThread;
  /** Gives back a thread that has answered. One that has not is terminated by whoever took it. */
  giveBack(user: object, taken: WorkerThread): void;
  /** Ends the idle threads, and those that are given back later. */
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
      // The sandbox looks for bubblewrap.
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
    // Without an own one (-1), the last that was given back.
    const [found] = idle.splice(own, 1);
    if (found === undefined) return start();
    // One that is just dying is not forgotten yet.
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
