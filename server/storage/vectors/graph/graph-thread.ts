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
  close(): Promise<void>;
};

type Waiter = { resolve(found: GraphFound | undefined): void; reject(error: Error): void };

/** Starts the thread with the first graph, and again after it has died. */
export function createGraphThread(): GraphThread {
  const waiters = new Map<number, Waiter>();
  let worker: Worker | undefined;
  let generation = 0;
  let lastCall = 0;

  function start(): Worker {
    generation += 1;
    const started = new Worker(new URL('graph-worker.ts', import.meta.url), { name: 'vector graphs', env: {} });
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
    async close() {
      await worker?.terminate();
    },
  };
}
