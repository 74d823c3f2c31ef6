import type { ModelUse } from './model-calls.ts';
import type { PackagePlaces } from '../../orders/package-places.ts';
import { RunFailure } from '../../../kernel/run-failure.ts';
import { SetupError } from '../../orders/setup-error.ts';
import {
  stepsOfOrder,
  type SandboxSetup,
  type WorkerAnswer,
  type WorkerMessage,
  type WorkerOrder,
  type WorkerTask,
  type WorkerTasks,
} from '../../orders/worker-protocol.ts';

/** A pool of worker threads, of this process or each in a process of its own. */
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

export type OrderOptions = {
  /** The pool of the order: a worker is preferably given to the one that had it before. */
  user: object;
  /** After an abort, the order fails with its reason, an Error, when its worker has ended. */
  signal: AbortSignal;
  models: ModelUse | undefined;
  sampleTimeoutMs: number;
};

/** The workers behind pools: any number of them share the same ones. */
export type OrderWorkers = {
  /** Does an order in an idle worker or a new one. Throws WorkerLost if the order costs the worker its life. */
  work(message: WorkerMessage, options: OrderOptions): Promise<WorkerAnswer>;
  /** Ends the idle workers now, and others when they have answered. */
  close(): Promise<void>;
};

export type ThreadPoolOptions = {
  /** Number of threads that work concurrently. */
  size: number;
  /** Supplies the threads. */
  threads: OrderWorkers;
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

/** A pool of watched worker threads: one that hangs or dies is replaced, and its job fails with WorkerLost. */
export function createThreadPool(options: ThreadPoolOptions): ThreadPool {
  const { size, threads, sampleTimeoutMs, sandbox } = options;
  const waiting: Order[] = [];
  /** What ends each running order → a promise that settles when its worker is free or gone. */
  const underWay = new Map<AbortController, Promise<unknown>>();
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
    const end = new AbortController();
    const abort = (): void => {
      end.abort(signal.reason instanceof Error ? signal.reason : new Error('The run was stopped'));
    };
    signal.addEventListener('abort', abort);
    const message = { order: work, sandbox: sandbox?.setup };
    const done = threads.work(message, { user, signal: end.signal, models, sampleTimeoutMs });
    underWay.set(end, done);
    try {
      const answer = await done;
      if (answer.kind === 'done') return answer.result;
      if (answer.cause === 'setup') throw new SetupError(answer.reason);
      if (answer.cause === 'damage') throw new RunFailure(answer.reason);
      throw new Error(answer.reason.text, { cause: answer.stack });
    } finally {
      underWay.delete(end);
      signal.removeEventListener('abort', abort);
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
      for (const end of underWay.keys()) end.abort(reason);
      await Promise.allSettled(ends);
    },
  };
}

const closedMessage = 'The engine is closed';
