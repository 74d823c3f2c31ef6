import { once } from 'node:events';
import { createAskedThread } from '../../../processes/thread-calls.ts';
import type { Asked, FoundRows, ResidentWork, SearchKind, VectorRows } from './resident-protocol.ts';

/** The thread that keeps vectors in memory. It processes calls in order. */
export type ResidentThread = {
  create(id: string, dimensions: number, search: SearchKind): Promise<void>;
  /** Transfers the rows' memory to the thread. */
  add(id: string, rows: VectorRows): Promise<void>;
  remove(id: string, units: readonly number[]): Promise<void>;
  find(id: string, asked: Asked): Promise<FoundRows>;
  drop(id: string): Promise<void>;
  /** Number of starts of the thread: the vectors of an earlier one are gone. */
  readonly generation: number;
  readonly isClosed: boolean;
  /** Ends the thread after its current work; waiting calls fail. */
  close(): Promise<void>;
};

/** Starts the thread with the first vectors, and restarts it after it has died. */
export function createResidentThread(): ResidentThread {
  /** Above 0, the thread ends at its next message. Terminating it within the library would crash the process. */
  const ending = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const thread = createAskedThread<ResidentWork, FoundRows | undefined>({
    module: new URL('resident-worker.ts', import.meta.url),
    name: 'vectors',
    env: {},
    workerData: ending,
  });

  return {
    async create(id, dimensions, search) {
      await thread.ask({ kind: 'create', id, dimensions, search });
    },
    async add(id, rows) {
      const buffers = [rows.units.buffer, rows.ordinals.buffer, rows.vectors.buffer] as ArrayBuffer[];
      await thread.ask({ kind: 'add', id, rows }, buffers);
    },
    async remove(id, units) {
      await thread.ask({ kind: 'remove', id, units });
    },
    async find(id, asked) {
      const found = await thread.ask({ kind: 'find', id, asked });
      if (found === undefined) throw new Error('A search of vectors was answered with nothing');
      return found;
    },
    async drop(id) {
      await thread.ask({ kind: 'drop', id });
    },
    get generation() {
      return thread.generation;
    },
    get isClosed() {
      return thread.isClosed;
    },
    close: () =>
      thread.close(async (running) => {
        Atomics.store(ending, 0, 1);
        const ended = once(running.worker, 'exit');
        // Earlier requests are not answered: the thread checks `ending` first.
        await running.ask({ kind: 'drop', id: '' }).catch(() => undefined);
        await ended;
      }),
  };
}
