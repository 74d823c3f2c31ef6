import { Worker, type Transferable, type WorkerOptions } from 'node:worker_threads';
import { builtModule } from '../kernel/built-modules.ts';
import { isAnswerMessage, type RequestMessage } from './thread-messages.ts';

/** Objects transferred with a message: the sender loses them. */
export type HandedOver = readonly Transferable[];

/** One thread, from start to end. */
export type RunningThread<Request, Answer> = {
  readonly worker: Worker;
  readonly hasEnded: boolean;
  /**
   * Sends a request and resolves with the answer; the thread receives requests in call order. Rejects with the error of its code,
   * with the thread's error if it dies first, and with ThreadEnded if it ends or has ended. A pending request keeps the process alive.
   */
  ask(request: Request, handedOver?: HandedOver): Promise<Answer>;
  /** Sets whether the thread keeps the process alive even without a pending request; initially it does not. */
  hold(isHeld: boolean): void;
  /** Sends a request without an answer; does nothing if the thread has ended. */
  tell(request: Request, handedOver?: HandedOver): void;
  /** Ends the thread at once; pending requests reject with ThreadEnded. */
  end(): Promise<void>;
};

/** A thread ended before it answered. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
  readonly exitCode: number | undefined;

  constructor(name: string, exitCode?: number) {
    super(`The thread ${name} has ended${exitCode === undefined ? '' : ` with code ${exitCode}`}`);
    this.exitCode = exitCode;
  }
}

export type ThreadOptions = {
  /** URL of the source of the thread's module, which calls `answerRequests`; the built module is used if there is one. */
  module: URL;
  /** Shown by debuggers, and in the error of a thread that has ended. */
  name: string;
} & Pick<WorkerOptions, 'workerData' | 'transferList' | 'env' | 'resourceLimits'>;

type Waiter<Answer> = { resolve(answer: Answer): void; reject(error: Error): void };

/** Starts a thread. Its requests are independent of those of a later thread. */
export function startThread<Request, Answer>({
  module,
  name,
  ...options
}: ThreadOptions): RunningThread<Request, Answer> {
  const worker = new Worker(builtModule(module), { ...options, name });
  const waiters = new Map<number, Waiter<Answer>>();
  let lastId = 0;
  let ended: Error | undefined;
  let isHeld = false;
  worker.unref();

  function fail(error: Error): void {
    ended ??= error;
    for (const { reject } of waiters.values()) reject(ended);
    waiters.clear();
  }

  worker.on('message', (message: unknown) => {
    if (!isAnswerMessage<Answer>(message)) return;
    const waiter = waiters.get(message.answers);
    waiters.delete(message.answers);
    if (waiters.size === 0 && !isHeld) worker.unref();
    if ('problem' in message) waiter?.reject(message.problem);
    else waiter?.resolve(message.answer);
  });
  worker.on('error', (error: Error) => fail(error));
  worker.on('exit', (code) => fail(new ThreadEnded(name, code)));

  function send(id: number, request: Request, handedOver: HandedOver): void {
    worker.postMessage({ asks: id, request } satisfies RequestMessage<Request>, handedOver);
  }

  return {
    worker,
    get hasEnded() {
      return ended !== undefined;
    },
    ask(request, handedOver = []) {
      if (ended !== undefined) return Promise.reject(ended);
      const id = (lastId += 1);
      return new Promise((resolve, reject) => {
        // Throws, and so rejects, if the request can't be sent.
        send(id, request, handedOver);
        waiters.set(id, { resolve, reject });
        worker.ref();
      });
    },
    hold(wanted) {
      isHeld = wanted;
      if (isHeld || waiters.size > 0) worker.ref();
      else worker.unref();
    },
    tell(request, handedOver = []) {
      if (ended === undefined) send(0, request, handedOver);
    },
    async end() {
      fail(new ThreadEnded(name));
      await worker.terminate();
    },
  };
}

/** A thread that starts on first use and restarts after it has ended. */
export type AskedThread<Request, Answer> = {
  /** The running thread, for requests that must reach the same thread: they fail if it ends. Throws ThreadEnded after `close`. */
  current(): RunningThread<Request, Answer>;
  /** Sends a request to the running thread. */
  ask(request: Request, handedOver?: HandedOver): Promise<Answer>;
  /** Number of starts so far. */
  readonly generation: number;
  readonly isClosed: boolean;
  /** Ends the running thread, with `end` if given, and starts no other. */
  close(end?: (thread: RunningThread<Request, Answer>) => Promise<void>): Promise<void>;
};

export function createAskedThread<Request, Answer>(options: ThreadOptions): AskedThread<Request, Answer> {
  let running: RunningThread<Request, Answer> | undefined;
  let generation = 0;
  let isClosed = false;

  function current(): RunningThread<Request, Answer> {
    if (isClosed) throw new ThreadEnded(options.name);
    if (running === undefined || running.hasEnded) {
      running = startThread(options);
      generation += 1;
    }
    return running;
  }

  return {
    current,
    ask: async (request, handedOver) => current().ask(request, handedOver),
    get generation() {
      return generation;
    },
    get isClosed() {
      return isClosed;
    },
    async close(end = (thread) => thread.end()) {
      isClosed = true;
      if (running !== undefined && !running.hasEnded) await end(running);
    },
  };
}
