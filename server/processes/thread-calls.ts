import { Worker, type Transferable, type WorkerOptions } from 'node:worker_threads';
import { builtModule } from '../kernel/built-modules.ts';
import { isAnswerMessage, type RequestMessage } from './thread-messages.ts';

/** Bytes that a message hands over: the sender loses them. */
export type HandedOver = readonly Transferable[];

/** One thread, from its start to its end. */
export type RunningThread<Request, Answer> = {
  readonly worker: Worker;
  readonly hasEnded: boolean;
  /**
   * The answer of the thread, which takes requests in the order of the calls. Rejects with the error of its code, with that of the
   * thread if it dies first, and with ThreadEnded if it ends or has ended. An open request keeps the process alive.
   */
  ask(request: Request, handedOver?: HandedOver): Promise<Answer>;
  /** Whether the thread keeps the process alive without an open request, too; at first it does not. */
  hold(isHeld: boolean): void;
  /** Sends a request whose answer nobody needs; nothing happens if the thread has ended. */
  tell(request: Request, handedOver?: HandedOver): void;
  /** Ends the thread at once; open requests reject with ThreadEnded. */
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
  /** The source of the module that the thread runs, from the build if there is one; it calls `answerRequests`. */
  module: URL;
  /** Shown by debuggers, and in the error of a thread that has ended. */
  name: string;
} & Pick<WorkerOptions, 'workerData' | 'transferList' | 'env' | 'resourceLimits'>;

type Waiter<Answer> = { resolve(answer: Answer): void; reject(error: Error): void };

/** Starts a thread. Its requests are its own: what becomes of it never touches those of a later one. */
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
        // What can not be sent rejects.
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

/** A thread that starts when it is first needed, and anew after it has ended. */
export type AskedThread<Request, Answer> = {
  /** The running thread, for requests that belong together: they fail rather than go to two. Throws ThreadEnded after `close`. */
  current(): RunningThread<Request, Answer>;
  /** Asks the running thread. */
  ask(request: Request, handedOver?: HandedOver): Promise<Answer>;
  /** How often it was started. */
  readonly generation: number;
  readonly isClosed: boolean;
  /** Ends the running thread, at once or as `end` does, and starts no other. */
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
