import type { ModelUse } from './model-calls.ts';
import type { PackagePlaces } from '../../orders/package-places.ts';
import { ThreadEnded } from '../../../processes/thread-calls.ts';
import { RunFailure } from '../../../runs/index.ts';
import { SetupError } from '../../orders/setup-error.ts';
import type { ThreadSupply, WorkerThread } from './thread-supply.ts';
import { WorkerLost, type LostPlace } from './worker-lost.ts';
import {
  progressSlots,
  stepsOfOrder,
  type SandboxSetup,
  type WorkerAnswer,
  type WorkerMessage,
  type WorkerOrder,
  type WorkerTask,
  type WorkerTasks,
} from '../../orders/worker-protocol.ts';

export type ThreadPool = {
  readonly size: number;
  /**
   * Runs a job as soon as a worker is free; throws WorkerLost, SetupError, RunFailure for damaged bytes, or the
   * signal's reason after an abort. `models` gives its steps access to models.
   */
  run<K extends WorkerTask>(
    task: K,
    job: WorkerTasks[K]['job'],
    signal: AbortSignal,
    models?: ModelUse,
  ): Promise<WorkerTasks[K]['result']>;
  close(): Promise<void>;
};

export type ThreadPoolOptions = {
  /** Number of threads that work concurrently. */
  size: number;
  /** Supplies the threads. */
  threads: ThreadSupply;
  /** CPU time that one operator may take for one sample. */
  sampleTimeoutMs: number;
  /** Where published operators run, if there are any. */
  sandbox?: { setup: SandboxSetup; packages: Pick<PackagePlaces, 'prepare'> } | undefined;
};

type Result = WorkerTasks[WorkerTask]['result'];

type Order = {
  work: WorkerOrder;
  signal: AbortSignal;
  models: ModelUse | undefined;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
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

/** A pool of watched worker threads: one that hangs or dies is replaced, and its job fails with WorkerLost. */
export function createThreadPool(options: ThreadPoolOptions): ThreadPool {
  const { size, threads, sampleTimeoutMs, sandbox } = options;
  const waiting: Order[] = [];
  /** By each running order's reject function: a promise that settles when its thread is free or gone. */
  const underWay = new Map<(error: Error) => void, Promise<unknown>>();
  const user = {};
  let busy = 0;
  let closed = false;

  function startNext(): void {
    while (busy < size && waiting.length > 0) {
      const order = waiting.shift();
      if (order === undefined) return;
      if (order.signal.aborted) {
        order.reject(order.signal.reason);
        continue;
      }
      busy += 1;
      prepare(order.work)
        .then(() => workOn(order))
        .then(order.resolve, order.reject)
        .finally(() => {
          busy -= 1;
          startNext();
        });
    }
  }

  /** Puts the packages of published operators where the worker reads them. */
  async function prepare(work: WorkerOrder): Promise<void> {
    await sandbox?.packages.prepare(stepsOfOrder(work));
  }

  async function workOn({ work, signal, models }: Order): Promise<Result> {
    if (closed) throw new Error(closedMessage);
    const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>();
    const abort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('The run was stopped'));
    };
    const taken = threads.take(user);
    taken.progress.fill(0);
    signal.addEventListener('abort', abort);
    const watch = watchProgress(taken, sampleTimeoutMs, (message) => {
      reject(lostOf(taken, message));
    });
    const done = answerOf(taken, { order: work, sandbox: sandbox?.setup }, { models, promise, resolve, reject });
    underWay.set(reject, done);
    try {
      const answer = await done;
      if (answer.kind === 'done') return answer.result;
      if (answer.cause === 'setup') throw new SetupError(answer.message);
      if (answer.cause === 'damage') throw new RunFailure(answer.message);
      throw new Error(answer.message, { cause: answer.stack });
    } finally {
      underWay.delete(reject);
      clearInterval(watch);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Gives the thread back after its answer; terminates it if the order ends before that. */
  async function answerOf(
    taken: WorkerThread,
    message: WorkerMessage,
    { models, promise, resolve, reject }: { models: ModelUse | undefined } & PromiseWithResolvers<WorkerAnswer>,
  ): Promise<WorkerAnswer> {
    const { thread, calls } = taken;
    try {
      calls.begin(models, reject);
      thread.ask(message).then(resolve, (error: Error) => reject(lostOf(taken, lossBy(error, threads.memoryMb))));
      const answer = await promise;
      calls.end();
      threads.giveBack(user, taken);
      return answer;
    } catch (error) {
      calls.end();
      await thread.end();
      throw error;
    }
  }

  return {
    size,
    run: <K extends WorkerTask>(task: K, job: WorkerTasks[K]['job'], signal: AbortSignal, models?: ModelUse) =>
      new Promise<WorkerTasks[K]['result']>((resolve, reject) => {
        if (closed) {
          reject(new Error(closedMessage));
          return;
        }
        const work = { task, job } as WorkerOrder;
        waiting.push({ work, signal, models, resolve, reject });
        startNext();
      }),
    async close() {
      closed = true;
      const reason = new Error(closedMessage);
      for (const order of waiting.splice(0)) order.reject(reason);
      const ends = [...underWay.values()];
      for (const end of underWay.keys()) end(reason);
      await Promise.allSettled(ends);
    },
  };
}

const closedMessage = 'The engine is closed';

const lostOf = ({ progress }: WorkerThread, message: string): WorkerLost => new WorkerLost(message, placeOf(progress));

/**
 * Calls `hung` when a step has spent too long on the same sample, measured in CPU time of the thread: by wall-clock
 * time, a sample could fail on a busy machine and pass on an idle one. For a thread that uses no CPU time, checks are
 * counted instead of reading the clock, so that a suspended machine or a busy main thread causes no timeout. Waiting
 * for a model does not count: its calls have their own limits.
 */
function watchProgress(
  { thread, calls, progress }: WorkerThread,
  sampleTimeoutMs: number,
  hung: (message: string) => void,
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
      hung(`it did not finish within ${sampleTimeoutMs / 1000} s of CPU time`);
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
      hung(`it did not finish within ${(idleFactor * sampleTimeoutMs) / 1000} s`);
    }
    if (!isRunning && looks * lookMs >= startTimeoutMs) hung('its thread did not start');
    // The end of a thread is reported by its event.
    if (isRunning && !isAsking) compareCpu().catch(() => undefined);
  }, lookMs);
}

function placeOf(progress: Int32Array): LostPlace {
  const at = (slot: number): number => progress[slot] ?? -1;
  return { ordinal: at(progressSlots.ordinal), last: at(progressSlots.last), step: at(progressSlots.step) };
}

/** How a thread was lost. */
function lossBy(error: Error, memoryMb: number): string {
  if (error instanceof ThreadEnded) return `its thread ended with code ${error.exitCode}`;
  const isOutOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isOutOfMemory ? `it needed more than ${memoryMb} MiB of memory` : error.message;
}
