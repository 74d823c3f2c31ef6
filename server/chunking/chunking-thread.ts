import { Worker } from 'node:worker_threads';
import type { Chunk, Chunking, PageRange } from './chunking.ts';
import type { ChunkingReply, ChunkingTask } from './chunking-protocol.ts';

/** Cuts texts in a thread of its own, so that a book does not block requests. */
export type ChunkingThread = {
  chunk(text: string, chunking: Chunking, pages?: readonly PageRange[]): Promise<Chunk[]>;
  close(): Promise<void>;
};

export function createChunkingThread(): ChunkingThread {
  const pending = new Map<number, { resolve(chunks: Chunk[]): void; reject(error: Error): void }>();
  let worker: Worker | undefined;
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(new URL('chunking-worker.ts', import.meta.url), { name: 'chunking', env: {} });
    started.on('message', (reply: ChunkingReply) => {
      const asked = pending.get(reply.id);
      pending.delete(reply.id);
      if (pending.size === 0) started.unref();
      if ('chunks' in reply) asked?.resolve(reply.chunks);
      else asked?.reject(new Error(reply.message));
    });
    const lost = (error: Error): void => {
      if (worker === started) worker = undefined;
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    };
    started.on('error', lost);
    started.on('exit', () => lost(new Error('The thread that cuts texts ended')));
    return started;
  }

  return {
    chunk(text, chunking, pages = []) {
      const { promise, resolve, reject } = Promise.withResolvers<Chunk[]>();
      const thread = (worker ??= start());
      const id = (lastId += 1);
      pending.set(id, { resolve, reject });
      // Only an open question keeps the process alive.
      thread.ref();
      const task: ChunkingTask = { id, text, chunking, pages };
      thread.postMessage(task);
      return promise;
    },
    async close() {
      await worker?.terminate();
    },
  };
}
