import { Worker } from 'node:worker_threads';
import type { Chunk, Chunking, PageRange } from './chunking.ts';
import type { ChunkingReply, ChunkingTask } from './chunking-protocol.ts';
import type { TextSyntax } from './structure.ts';

/** Cuts texts in a thread of its own, so that a book does not block requests. */
export type ChunkingThread = {
  chunk(text: string, chunking: Chunking, pages?: readonly PageRange[], syntax?: TextSyntax): Promise<Chunk[]>;
  close(): Promise<void>;
};

/** Enough for the chunks of the largest text in any sensible size. */
const defaultMemoryMb = 2048;

/** A text whose chunks need more memory than allowed fails; others that wait meanwhile do not. */
export function createChunkingThread({ memoryMb = defaultMemoryMb } = {}): ChunkingThread {
  const pending = new Map<number, { task: ChunkingTask; resolve(chunks: Chunk[]): void; reject(error: Error): void }>();
  let isClosed = false;
  let worker: Worker | undefined;
  let lastId = 0;

  function start(): Worker {
    const started = new Worker(new URL('chunking-worker.ts', import.meta.url), {
      name: 'chunking',
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    started.on('message', (reply: ChunkingReply) => {
      const asked = pending.get(reply.id);
      pending.delete(reply.id);
      if (pending.size === 0) started.unref();
      if ('chunks' in reply) asked?.resolve(reply.chunks);
      else asked?.reject(new Error(reply.message));
    });
    const lost = (error: Error): void => {
      // An error is followed by an exit.
      if (worker !== started) return;
      worker = undefined;
      if (isClosed) {
        for (const { reject } of pending.values()) reject(error);
        pending.clear();
        return;
      }
      // It was at the oldest text, which may be the cause: the others go to another thread.
      const [oldest] = pending;
      if (oldest === undefined) return;
      pending.delete(oldest[0]);
      oldest[1].reject(error);
      if (pending.size === 0) return;
      worker = start();
      for (const { task } of pending.values()) worker.postMessage(task);
    };
    started.on('error', lost);
    started.on('exit', () => lost(new Error('The thread that cuts texts ended')));
    return started;
  }

  return {
    chunk(text, chunking, pages = [], syntax = 'MARKDOWN') {
      const { promise, resolve, reject } = Promise.withResolvers<Chunk[]>();
      const thread = (worker ??= start());
      const id = (lastId += 1);
      const task: ChunkingTask = { id, text, chunking, pages, syntax };
      pending.set(id, { task, resolve, reject });
      // Only an open question keeps the process alive.
      thread.ref();
      thread.postMessage(task);
      return promise;
    },
    async close() {
      isClosed = true;
      await worker?.terminate();
    },
  };
}
