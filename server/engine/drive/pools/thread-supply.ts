import { startThread } from '../../../processes/thread-calls.ts';
import { createWorkerCalls } from './model-calls.ts';
import { createIdleWorkers, type IdleWorkers } from './idle-workers.ts';
import type { OrderWorkers } from './thread-pool.ts';
import { workInThread, type WorkerThread } from './thread-work.ts';
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

/** Threads that do one order at a time, shared by any pools: a thread started for a run may serve a preview next. */
export type ThreadSupply = OrderWorkers & Pick<IdleWorkers<WorkerThread>, 'take' | 'giveBack'>;

export type ThreadSupplyOptions = {
  /** Module whose `operators` are the ones that the threads can run. */
  operatorsUrl: string;
  /** Heap of a thread; exceeding it kills only this thread. */
  memoryMb: number;
};

export function createThreadSupply({ operatorsUrl, memoryMb }: ThreadSupplyOptions): ThreadSupply {
  const { take, giveBack, forget, close } = createIdleWorkers<WorkerThread>({
    start,
    hasEnded: ({ thread }) => thread.hasEnded,
    end: ({ thread }) => thread.end(),
  });

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
    thread.worker.once('exit', () => {
      forget(held);
      calls.close();
    });
    return held;
  }

  return {
    take,
    giveBack,
    close,
    async work(message, { user, ...options }) {
      const taken = take(user);
      const answer = await workInThread(taken, message, { ...options, memoryMb });
      giveBack(user, taken);
      return answer;
    },
  };
}
