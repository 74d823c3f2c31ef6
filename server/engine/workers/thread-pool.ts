import { Worker } from 'node:worker_threads';
import { builtModule } from '../../kernel/built-modules.ts';
import { createWorkerCalls, type ModelUse, type WorkerCalls } from './model-calls.ts';
import type { PackagePlaces } from './package-places.ts';
import { RunFailure } from '../../runs/index.ts';
import { SetupError } from '../setup-error.ts';
import { WorkerLost, type LostPlace } from './worker-lost.ts';
import {
  progressSlots,
  stepsOfOrder,
  type SandboxSetup,
  type WorkerAnswer,
  type WorkerOrder,
  type WorkerSetup,
  type WorkerTask,
  type WorkerTasks,
} from './worker-protocol.ts';

/** Three semispaces of 8 MiB: samples are garbage at once. With the default of 16 MiB, the peak of deduplication is 43 to 88 MiB in place of 25, in the same time. */
const youngGenerationMb = 24;

export type ThreadPool = {
  readonly size: number;
  /**
   * Runs a job as soon as a worker is free; throws WorkerLost, SetupError, RunFailure for damaged bytes, or the
   * signal's reason after an abort. `models` is how its steps may ask models.
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
  size: number;
  operatorsUrl: string;
  /** CPU time that one operator may take for one sample. */
  sampleTimeoutMs: number;
  /** Heap of a worker; exceeding it kills only this worker. */
  memoryMb: number;
  /** Whether the process goes on for the sake of idle threads; default: yes. */
  keepsProcess?: boolean;
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

type Slot = {
  worker: { thread: Worker; calls: WorkerCalls } | undefined;
  progress: Int32Array<SharedArrayBuffer>;
  end: ((error: Error) => void) | undefined;
};

/** Time limit for a new thread to start its shard. */
const startTimeoutMs = 60_000;
const looksPerTimeout = 20;
/**
 * A thread that makes no progress and uses no CPU time (it waits for a dead disk) is terminated after this multiple of
 * the limit.
 */
const idleFactor = 10;
/** What a thread spends at most to tell its CPU time, on a busy machine; 0.03 ms on an idle one. */
const queryCpuMs = 0.5;

/** A pool of watched worker threads: one that hangs or dies is replaced, and its job fails with WorkerLost. */
export function createThreadPool(options: ThreadPoolOptions): ThreadPool {
  const slots: Slot[] = Array.from({ length: options.size }, () => ({
    worker: undefined,
    progress: new Int32Array(new SharedArrayBuffer(4 * progressSlots.length)),
    end: undefined,
  }));
  const free = [...slots];
  const waiting: Order[] = [];
  let closed = false;

  function startNext(): void {
    while (free.length > 0 && waiting.length > 0) {
      const order = waiting.shift();
      if (order === undefined) return;
      if (order.signal.aborted) {
        order.reject(order.signal.reason);
        continue;
      }
      const slot = free.pop();
      if (slot === undefined) return;
      prepare(order.work)
        .then(() => workOn(slot, order))
        .then(order.resolve, order.reject)
        .finally(() => {
          free.push(slot);
          startNext();
        });
    }
  }

  /** Puts the packages of published operators where the worker reads them. */
  async function prepare(work: WorkerOrder): Promise<void> {
    await options.sandbox?.packages.prepare(stepsOfOrder(work));
  }

  async function workOn(slot: Slot, { work, signal, models }: Order): Promise<Result> {
    slot.progress.fill(0);
    const started = (slot.worker ??= startWorker(options, slot.progress.buffer));
    const { thread: worker, calls } = started;
    let abort: (() => void) | undefined;
    let watch: NodeJS.Timeout | undefined;
    const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>();
    const lost = (message: string): WorkerLost => new WorkerLost(message, placeOf(slot.progress));
    try {
      worker.once('message', resolve);
      worker.once('error', (error) => {
        reject(lost(isOutOfMemory(error) ? `it needed more than ${options.memoryMb} MiB of memory` : error.message));
      });
      worker.once('exit', (code) => {
        reject(lost(`its thread ended with code ${code}`));
      });
      abort = () => {
        reject(signal.reason instanceof Error ? signal.reason : new Error('The run was stopped'));
      };
      slot.end = reject;
      calls.begin(models, reject);
      signal.addEventListener('abort', abort);
      watch = watchProgress(started, slot.progress, options.sampleTimeoutMs, (message) => {
        reject(lost(message));
      });
      worker.postMessage(work);
      const answer = await promise;
      if (answer.kind === 'done') return answer.result;
      if (answer.cause === 'setup') throw new SetupError(answer.message);
      if (answer.cause === 'damage') throw new RunFailure(answer.message);
      throw new Error(answer.message, { cause: answer.stack });
    } catch (error) {
      slot.worker = undefined;
      calls.end();
      // Does not wait for a hanging thread: it ends at its next instruction, and a new thread uses its slot meanwhile.
      // Whoever closes the pool listens for the exit, too.
      worker.removeAllListeners('error');
      worker.removeAllListeners('message');
      worker.on('error', () => undefined);
      await worker.terminate();
      calls.close();
      throw error;
    } finally {
      slot.end = undefined;
      calls.end();
      worker.removeAllListeners('error');
      worker.removeAllListeners('exit');
      worker.removeAllListeners('message');
      worker.on('error', () => {
        slot.worker = undefined;
      });
      worker.on('exit', () => {
        calls.close();
        if (slot.worker === started) slot.worker = undefined;
      });
      clearInterval(watch);
      if (abort !== undefined) signal.removeEventListener('abort', abort);
    }
  }

  return {
    size: options.size,
    run: <K extends WorkerTask>(task: K, job: WorkerTasks[K]['job'], signal: AbortSignal, models?: ModelUse) =>
      new Promise<WorkerTasks[K]['result']>((resolve, reject) => {
        if (closed) {
          reject(new Error('The engine is closed'));
          return;
        }
        const work = { task, job } as WorkerOrder;
        waiting.push({ work, signal, models, resolve, reject });
        startNext();
      }),
    async close() {
      closed = true;
      const reason = new Error('The engine is closed');
      for (const order of waiting.splice(0)) order.reject(reason);
      await Promise.all(
        slots.map(async (slot) => {
          slot.end?.(reason);
          await slot.worker?.thread.terminate();
          slot.worker = undefined;
        }),
      );
    },
  };
}

function startWorker(options: ThreadPoolOptions, progress: SharedArrayBuffer): NonNullable<Slot['worker']> {
  const { operatorsUrl, sandbox } = options;
  const calls = createWorkerCalls();
  const setup: WorkerSetup = { operatorsUrl, progress, models: calls.port, sandbox: sandbox?.setup };
  const thread = new Worker(builtModule(new URL('worker.ts', import.meta.url)), {
    name: 'run-worker',
    workerData: setup,
    transferList: [calls.port],
    // The sandbox looks for bubblewrap.
    env: sandbox === undefined ? {} : { PATH: process.env['PATH'] ?? '' },
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: youngGenerationMb },
  });
  if (options.keepsProcess === false) thread.unref();
  return { thread, calls };
}

/**
 * Calls `hung` when a step has spent too long on the same sample, measured in CPU time of the thread: by the clock, a
 * sample could fail on a busy machine and pass on an idle one. For a thread that uses no CPU time, checks are counted
 * instead of reading the clock, so that a suspended machine or a busy main thread causes no timeout. Waiting for a model is
 * no hang: its calls have limits of their own.
 */
function watchProgress(
  { thread: worker, calls }: NonNullable<Slot['worker']>,
  progress: Int32Array<SharedArrayBuffer>,
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
    const { user, system } = await worker.cpuUsage();
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

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
