import { foreign, runSentences, type Reason } from '../../../kernel/sentences/index.ts';
import { ThreadEnded, type RunningThread } from '../../../processes/thread-calls.ts';
import { placeOf, progressSlots, type WorkerAnswer, type WorkerMessage } from '../../orders/worker-protocol.ts';
import type { WorkerCalls } from './model-calls.ts';
import type { OrderOptions } from './thread-pool.ts';
import { WorkerLost } from './worker-lost.ts';

export type WorkerThread = {
  thread: RunningThread<WorkerMessage, WorkerAnswer>;
  calls: WorkerCalls;
  progress: Int32Array<SharedArrayBuffer>;
};

/** Time limit for a new thread to start its shard. */
const startTimeoutMs = 60_000;
const looksPerTimeout = 20;
/**
 * A thread that makes no progress and uses no CPU time (for example, waiting for a dead disk) is terminated after this
 * multiple of the limit.
 */
const idleFactor = 10;
/**
 * Upper limit of the CPU time that one query of a thread's CPU time costs on a busy machine; 0.03 ms on an idle one.
 */
const queryCpuMs = 0.5;

/**
 * Does an order in a thread, and watches it: a thread that hangs or dies fails the order with WorkerLost. Unless the
 * order is answered, the thread has been terminated when this rejects.
 */
export async function workInThread(
  taken: WorkerThread,
  message: WorkerMessage,
  { signal, models, sampleTimeoutMs, memoryMb }: Omit<OrderOptions, 'user'> & { memoryMb: number },
): Promise<WorkerAnswer> {
  const { thread, calls, progress } = taken;
  const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>();
  const abort = (): void => reject(signal.reason);
  progress.fill(0);
  signal.addEventListener('abort', abort);
  const watch = watchProgress(taken, sampleTimeoutMs, (why) => reject(new WorkerLost(why, placeOf(progress))));
  try {
    calls.begin(models, reject);
    thread.ask(message).then(resolve, (error: Error) => {
      reject(new WorkerLost(lossBy(error, memoryMb), placeOf(progress)));
    });
    const answer = await promise;
    calls.end();
    return answer;
  } catch (error) {
    calls.end();
    await thread.end();
    throw error;
  } finally {
    clearInterval(watch);
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Calls `hung` when a step has spent too long on the same sample, measured in CPU time of the thread: by wall-clock
 * time, a sample could fail on a busy machine and pass on an idle one. For a thread that uses no CPU time, checks are
 * counted instead of reading the clock, so that a suspended machine or a busy main thread causes no timeout. Waiting
 * for a model does not count: its calls have their own limits.
 */
function watchProgress(
  { thread, calls, progress }: WorkerThread,
  sampleTimeoutMs: number,
  hung: (why: Reason) => void,
): NodeJS.Timeout {
  const lookMs = Math.max(10, sampleTimeoutMs / looksPerTimeout);
  let before = '';
  let looks = 0;
  /** CPU time of the thread when the sample was first seen at its step. */
  let startCpuMs: number | undefined;
  let workedCpuMs = 0;
  let queries = 0;
  let isAsking = false;

  async function compareCpu(): Promise<void> {
    isAsking = true;
    const { user, system } = await thread.worker.cpuUsage();
    isAsking = false;
    // The thread moved on to another sample in the meantime.
    if (progress.join(' ') !== before) return;
    const cpuMs = (user + system) / 1000;
    queries += 1;
    // More CPU time than the queries themselves cost: the thread is working, however slowly.
    if (cpuMs - workedCpuMs > sampleTimeoutMs / 100 + queries * queryCpuMs) {
      looks = 0;
      workedCpuMs = cpuMs;
      queries = 0;
    }
    startCpuMs ??= cpuMs;
    const isRunning = Atomics.load(progress, progressSlots.running) === 1;
    if (isRunning && cpuMs - startCpuMs > sampleTimeoutMs) {
      hung(runSentences.OVER_CPU_TIME.reason({ seconds: sampleTimeoutMs / 1000 }));
    }
  }

  return setInterval(() => {
    const now = progress.join(' ');
    if (now === before && !calls.isWaiting) looks += 1;
    else looks = 0;
    if (now !== before) startCpuMs = undefined;
    before = now;
    const isRunning = Atomics.load(progress, progressSlots.running) === 1;
    if (isRunning && looks >= idleFactor * looksPerTimeout) {
      hung(runSentences.OVER_TIME.reason({ seconds: (idleFactor * sampleTimeoutMs) / 1000 }));
    }
    if (!isRunning && looks * lookMs >= startTimeoutMs) hung(runSentences.THREAD_NOT_STARTED.reason({}));
    // The end of a thread is reported by its event.
    if (isRunning && !isAsking) compareCpu().catch(() => undefined);
  }, lookMs);
}

/** How a thread was lost. */
function lossBy(error: Error, memoryMb: number): Reason {
  if (error instanceof ThreadEnded) return runSentences.THREAD_ENDED.reason({ exitCode: String(error.exitCode) });
  const isOutOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isOutOfMemory ? runSentences.OVER_MEMORY.reason({ limit: memoryMb }) : foreign(error.message);
}
