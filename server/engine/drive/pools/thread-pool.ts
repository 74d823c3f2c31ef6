import { createFairTurns, nextInTurn } from '../../../kernel/fair-turns.ts';
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

/** Told of the orders of one run, which take turns with those of others. */
export type OrderTurn = {
  /** Identifies the run. */
  readonly owner: string;
  /** An order waits for a worker. */
  waits(): void;
  /** An order that waited has a worker, or is given up. */
  waited(): void;
  /** A worker begins an order. */
  begins(): void;
  ends(): void;
};

export type OrderUse = {
  /** Gives the steps of an order access to models. */
  models?: ModelUse | undefined;
  turn?: OrderTurn | undefined;
};

/** A pool of worker threads, of this process or each in a process of its own. */
export type ThreadPool = {
  readonly size: number;
  /**
   * Runs a job as soon as a worker is free; throws WorkerLost, SetupError, RunFailure for damaged bytes, or the
   * signal's reason after an abort.
   */
  run<K extends WorkerTask>(
    task: K,
    job: WorkerTasks[K]['job'],
    signal: AbortSignal,
    use?: OrderUse,
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
  owner: string;
  isLong: boolean;
  work: WorkerOrder;
  signal: AbortSignal;
  use: OrderUse;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
  /** It has stopped waiting. */
  waited: () => void;
};

/** Orders over a whole file or set, which may take minutes. */
const longTasks: ReadonlySet<WorkerTask> = new Set(['scan', 'unpack', 'index', 'reduce', 'partition']);

/**
 * A pool of watched worker threads: one that hangs or dies is replaced, and its job fails with WorkerLost.
 * Runs take turns order by order. While long orders have all workers, one more works beside them on the short orders of
 * others, since the system shares the processor better than turns of minutes would.
 */
export function createThreadPool(options: ThreadPoolOptions): ThreadPool {
  const { size, threads, sampleTimeoutMs, sandbox } = options;
  const waiting: Order[] = [];
  /** What ends each running order → a promise that settles when its worker is free or gone. */
  const underWay = new Map<AbortController, Promise<unknown>>();
  const user = {};
  const turns = createFairTurns();
  const busy = { long: 0, short: 0 };
  let closed = false;

  /** The order whose turn it is, if there is a worker for it. */
  function takeNext(): Order | undefined {
    if (waiting.length === 0 && busy.long + busy.short === 0) turns.restart();
    const hasPlace = busy.long + busy.short < size;
    const next = nextInTurn(
      turns,
      hasPlace ? waiting : waiting.filter(({ isLong }) => !isLong && busy.short === 0 && busy.long > 0),
    );
    if (next !== undefined) waiting.splice(waiting.indexOf(next), 1);
    return next;
  }

  function startNext(): void {
    for (let order = takeNext(); order !== undefined; order = takeNext()) {
      const { owner, isLong, work, use, resolve, reject, waited } = order;
      waited();
      const length = isLong ? 'long' : 'short';
      busy[length] += 1;
      turns.change(owner, 1);
      use.turn?.begins();
      prepare(work)
        .then(() => workOn(order))
        .then(resolve, reject)
        .finally(() => {
          busy[length] -= 1;
          turns.change(owner, -1);
          use.turn?.ends();
          startNext();
        });
    }
  }

  /** Puts the packages of published operators where the worker reads them. */
  async function prepare(work: WorkerOrder): Promise<void> {
    await sandbox?.packages.prepare(stepsOfOrder(work));
  }

  async function workOn({ work, signal, use }: Order): Promise<Result> {
    if (closed) throw new Error(closedMessage);
    const end = new AbortController();
    const abort = (): void => {
      end.abort(reasonOf(signal));
    };
    signal.addEventListener('abort', abort);
    const message = { order: work, sandbox: sandbox?.setup };
    const done = threads.work(message, { user, signal: end.signal, models: use.models, sampleTimeoutMs });
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
    run: <K extends WorkerTask>(task: K, job: WorkerTasks[K]['job'], signal: AbortSignal, use: OrderUse = {}) =>
      new Promise<WorkerTasks[K]['result']>((resolve, reject) => {
        if (closed) {
          reject(new Error(closedMessage));
          return;
        }
        if (signal.aborted) {
          reject(reasonOf(signal));
          return;
        }
        const leave = (): void => {
          waiting.splice(waiting.indexOf(order), 1);
          order.waited();
          reject(reasonOf(signal));
        };
        const order: Order = {
          owner: use.turn?.owner ?? '',
          isLong: longTasks.has(task),
          work: { task, job } as WorkerOrder,
          signal,
          use,
          resolve,
          reject,
          waited() {
            signal.removeEventListener('abort', leave);
            use.turn?.waited();
          },
        };
        signal.addEventListener('abort', leave);
        waiting.push(order);
        use.turn?.waits();
        startNext();
      }),
    async close() {
      closed = true;
      const reason = new Error(closedMessage);
      for (const { waited, reject } of waiting.splice(0)) {
        waited();
        reject(reason);
      }
      const ends = [...underWay.values()];
      for (const end of underWay.keys()) end.abort(reason);
      await Promise.allSettled(ends);
    },
  };
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('The run was stopped');
}

const closedMessage = 'The engine is closed';
