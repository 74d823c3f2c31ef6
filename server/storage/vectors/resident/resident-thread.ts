import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { builtModule } from '../../../kernel/built-modules.ts';
import type {
  Asked,
  FoundRows,
  ResidentReply,
  ResidentRequest,
  ResidentWork,
  SearchKind,
  VectorRows,
} from './resident-protocol.ts';

/** The thread that keeps vectors in memory. Work is done in the order in which it is given. */
export type ResidentThread = {
  create(id: string, dimensions: number, search: SearchKind): Promise<void>;
  /** Takes the rows' memory. */
  add(id: string, rows: VectorRows): Promise<void>;
  remove(id: string, units: readonly number[]): Promise<void>;
  find(id: string, asked: Asked): Promise<FoundRows>;
  drop(id: string): Promise<void>;
  /** How often the thread was started: the vectors of an earlier one are gone. */
  readonly generation: number;
  readonly isClosed: boolean;
  /** Ends the thread after what it is at; what waits for it fails. */
  close(): Promise<void>;
};

type Waiter = { resolve(found: FoundRows | undefined): void; reject(error: Error): void };

/** Starts the thread with the first vectors, and again after it has died. */
export function createResidentThread(): ResidentThread {
  const waiters = new Map<number, Waiter>();
  /** Above 0: the thread ends with the next message. One that is terminated within the library takes the process with it. */
  const ending = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let worker: Worker | undefined;
  let generation = 0;
  let lastCall = 0;
  let isClosed = false;

  function start(): Worker {
    generation += 1;
    const started = new Worker(builtModule(new URL('resident-worker.ts', import.meta.url)), {
      name: 'vectors',
      env: {},
      workerData: ending,
    });
    started.unref();
    const fail = (error: Error): void => {
      if (worker === started) worker = undefined;
      for (const { reject } of waiters.values()) reject(error);
      waiters.clear();
    };
    started.on('message', ({ call, found, problem }: ResidentReply) => {
      const waiter = waiters.get(call);
      waiters.delete(call);
      if (waiters.size === 0) started.unref();
      if (problem === undefined) waiter?.resolve(found);
      else waiter?.reject(new Error(problem));
    });
    started.on('error', (error: Error) => fail(error));
    started.on('exit', () => fail(new Error('The thread of vectors has ended')));
    return started;
  }

  function ask(work: ResidentWork, transfer: readonly ArrayBuffer[] = []): Promise<FoundRows | undefined> {
    if (isClosed) return Promise.reject(new Error('The thread of vectors has ended'));
    const asked = (worker ??= start());
    const call = (lastCall += 1);
    const request: ResidentRequest = { call, work };
    return new Promise((resolve, reject) => {
      waiters.set(call, { resolve, reject });
      asked.ref();
      asked.postMessage(request, [...transfer]);
    });
  }

  return {
    async create(id, dimensions, search) {
      await ask({ kind: 'create', id, dimensions, search });
    },
    async add(id, rows) {
      const buffers = [rows.units.buffer, rows.ordinals.buffer, rows.vectors.buffer] as ArrayBuffer[];
      await ask({ kind: 'add', id, rows }, buffers);
    },
    async remove(id, units) {
      await ask({ kind: 'remove', id, units });
    },
    async find(id, asked) {
      const found = await ask({ kind: 'find', id, asked });
      if (found === undefined) throw new Error('A search of vectors was answered with nothing');
      return found;
    },
    async drop(id) {
      await ask({ kind: 'drop', id });
    },
    get generation() {
      return generation;
    },
    get isClosed() {
      return isClosed;
    },
    async close() {
      isClosed = true;
      if (worker === undefined) return;
      Atomics.store(ending, 0, 1);
      worker.ref();
      worker.postMessage({ call: 0, work: { kind: 'drop', id: '' } } satisfies ResidentRequest);
      await once(worker, 'exit');
    },
  };
}
