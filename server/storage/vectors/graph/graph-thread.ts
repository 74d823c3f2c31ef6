import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { GraphFound, GraphReply, GraphRequest, GraphRows, GraphWork } from './graph-protocol.ts';

/** The thread that keeps graphs in memory. Work is done in the order in which it is given. */
export type GraphThread = {
  create(id: string, dimensions: number): Promise<void>;
  /** Takes the rows' memory. */
  add(id: string, rows: GraphRows): Promise<void>;
  remove(id: string, units: readonly number[]): Promise<void>;
  find(id: string, vector: Float32Array, limit: number): Promise<GraphFound>;
  drop(id: string): Promise<void>;
  /** How often the thread was started: graphs of an earlier one are gone. */
  readonly generation: number;
  readonly isClosed: boolean;
  /** Ends the thread after what it is at; what waits for it fails. */
  close(): Promise<void>;
};

type Waiter = { resolve(found: GraphFound | undefined): void; reject(error: Error): void };

/** Starts the thread with the first graph, and again after it has died. */
export function createGraphThread(): GraphThread {
  const waiters = new Map<number, Waiter>();
  /** Above 0: the thread ends with the next message. One that is terminated within the library takes the process with it. */
  const ending = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let worker: Worker | undefined;
  let generation = 0;
  let lastCall = 0;
  let isClosed = false;

  function start(): Worker {
    generation += 1;
    const started = new Worker(new URL('graph-worker.ts', import.meta.url), {
      name: 'vector graphs',
      env: {},
      workerData: ending,
    });
    started.unref();
    const fail = (error: Error): void => {
      if (worker === started) worker = undefined;
      for (const { reject } of waiters.values()) reject(error);
      waiters.clear();
    };
    started.on('message', ({ call, found, problem }: GraphReply) => {
      const waiter = waiters.get(call);
      waiters.delete(call);
      if (waiters.size === 0) started.unref();
      if (problem === undefined) waiter?.resolve(found);
      else waiter?.reject(new Error(problem));
    });
    started.on('error', (error: Error) => fail(error));
    started.on('exit', () => fail(new Error('The thread of vector graphs has ended')));
    return started;
  }

  function ask(work: GraphWork, transfer: readonly ArrayBuffer[] = []): Promise<GraphFound | undefined> {
    if (isClosed) return Promise.reject(new Error('The thread of vector graphs has ended'));
    const asked = (worker ??= start());
    const call = (lastCall += 1);
    const request: GraphRequest = { call, work };
    return new Promise((resolve, reject) => {
      waiters.set(call, { resolve, reject });
      asked.ref();
      asked.postMessage(request, [...transfer]);
    });
  }

  return {
    async create(id, dimensions) {
      await ask({ kind: 'create', id, dimensions });
    },
    async add(id, rows) {
      const buffers = [rows.units.buffer, rows.ordinals.buffer, rows.vectors.buffer] as ArrayBuffer[];
      await ask({ kind: 'add', id, rows }, buffers);
    },
    async remove(id, units) {
      await ask({ kind: 'remove', id, units });
    },
    async find(id, vector, limit) {
      const found = await ask({ kind: 'find', id, vector, limit });
      if (found === undefined) throw new Error('A graph answered nothing');
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
      worker.postMessage({ call: 0, work: { kind: 'drop', id: '' } } satisfies GraphRequest);
      await once(worker, 'exit');
    },
  };
}
