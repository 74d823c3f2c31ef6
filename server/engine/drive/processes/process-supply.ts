import { setTimeout as pause } from 'node:timers/promises';
import { systemTimers } from '../../../kernel/timers.ts';
import { createResultMemories } from '../../orders/result-memory.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';
import type { WorkerAnswer, WorkerMessage } from '../../orders/worker-protocol.ts';
import { createIdleWorkers } from '../pools/idle-workers.ts';
import type { OrderOptions, OrderWorkers } from '../pools/thread-pool.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import { createProcessWorker, ProcessLost, type ProcessWorker, type ProcessWorkerOptions } from './process-worker.ts';

export type ProcessSupplyOptions = Pick<
  ProcessWorkerOptions,
  'operatorsUrl' | 'memoryMb' | 'scratchDirectory' | 'timers'
> & {
  /** First pause before an order whose process was killed is tried again. */
  pauseMs?: number;
  /** Called for each process that ended during an order, which is then tried again or fails. */
  onLost?: ((why: string) => void) | undefined;
};

/**
 * Losses of processes after which an order is to blame. One that ended by itself is hardly lost twice by accident; one
 * that was killed may be, as when a machine runs out of memory: only losses with growing pauses in between tell.
 */
const lossLimits = { ended: 2, killed: 6 };
/** For an order that tries a single sample again. */
const lossLimitsWithSuspects = { ended: 1, killed: 3 };

/** How long a process is kept without an order: it takes memory, and another one starts in a quarter of a second. */
export const idleMs = 60_000;

const nowhere = { ordinal: -1, last: -1, step: -1 };

/**
 * Workers in processes of their own, which the system can end without the service. An order whose process ends is tried
 * again by a careful one, which keeps its place in a file: so the sample is known over which it is lost again.
 */
export function createProcessSupply({ pauseMs = 1000, onLost, ...options }: ProcessSupplyOptions): OrderWorkers {
  const memories = createResultMemories();
  const numbers = new WeakMap<SharedIndex, number>();
  let lastNumber = 0;
  const idle = createIdleWorkers<ProcessWorker>({
    start: () => createProcessWorker({ ...options, memories, numberOf }),
    // A process that ended while it was idle is replaced with its next order.
    hasEnded: () => false,
    end: (worker) => worker.end(),
    keeping: { idleMs, timers: options.timers ?? systemTimers },
  });

  function numberOf(index: SharedIndex): number {
    const number = numbers.get(index) ?? (lastNumber += 1);
    numbers.set(index, number);
    return number;
  }

  async function attempt(message: WorkerMessage, options: OrderOptions, isCareful: boolean): Promise<WorkerAnswer> {
    const { user } = options;
    const worker = idle.take(user);
    try {
      const answer = await worker.work(message, { ...options, isCareful });
      idle.giveBack(user, worker);
      return answer;
    } catch (error) {
      if (error instanceof WorkerLost) idle.giveBack(user, worker);
      else await worker.end();
      throw error;
    }
  }

  return {
    async work(message, order) {
      const hasSuspects = 'suspects' in message.order.job && message.order.job.suspects !== undefined;
      const limits = hasSuspects ? lossLimitsWithSuspects : lossLimits;
      const losses = { ended: 0, killed: 0 };
      for (let isCareful = hasSuspects; ; isCareful = true) {
        try {
          return await attempt(message, order, isCareful);
        } catch (error) {
          if (!(error instanceof ProcessLost)) throw error;
          onLost?.(error.message);
          const cause = error.isKilled ? 'killed' : 'ended';
          losses[cause] += 1;
          if (losses[cause] >= limits[cause]) throw new WorkerLost(error.reason, error.place ?? nowhere);
          // The first retry is immediate: mostly only one process was affected.
          if (losses.killed > 1) await rest(pauseMs * 2 ** (losses.killed - 2), order.signal);
        }
      }
    },
    close: idle.close,
  };
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
}
