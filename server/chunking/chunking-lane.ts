import { startThread, type RunningThread, type ThreadOptions } from '../processes/thread-calls.ts';
import { ChunksRepeatError } from './chunking.ts';
import type { ChunkingReply, ChunkingTask } from './chunking-protocol.ts';

export type ChunkingAnswer = Extract<ChunkingReply, { cuts: unknown }>;

export type AskOptions = { signal?: AbortSignal | undefined; limitMs?: number | undefined };

/** A thread that chunks one text after another. */
export type ChunkingLane = {
  /**
   * Rejects with the signal's reason after an abort, and with ChunkingTimeout if the text takes too long; the thread
   * then continues with the next text.
   */
  ask(task: ChunkingTask, options?: AskOptions): Promise<ChunkingAnswer>;
  close(): Promise<void>;
};

/** Chunking took longer than allowed. */
export class ChunkingTimeout extends Error {
  override readonly name = 'ChunkingTimeout';
}

type Question = {
  task: ChunkingTask;
  limitMs: number | undefined;
  resolve(answer: ChunkingAnswer): void;
  reject(reason: unknown): void;
};

/** A text whose chunks need more memory than allowed fails; waiting texts are not affected. */
export function createChunkingLane({
  memoryMb,
  keepsThread,
}: {
  memoryMb: number;
  keepsThread: boolean;
}): ChunkingLane {
  const waiting: Question[] = [];
  let current: Question | undefined;
  let timer: NodeJS.Timeout | undefined;
  const options: ThreadOptions = {
    module: new URL('chunking-worker.ts', import.meta.url),
    name: 'chunking',
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  };
  let thread: RunningThread<ChunkingTask, ChunkingReply> | undefined;
  let isClosed = false;

  async function cut(question: Question): Promise<void> {
    if (thread?.hasEnded !== false) thread = startThread(options);
    try {
      const reply = await thread.ask(question.task);
      if ('cuts' in reply) question.resolve(reply);
      else question.reject(reply.repeats ? new ChunksRepeatError() : new Error(reply.message));
    } catch (error) {
      question.reject(error);
    }
    // The turn has already ended if the text was given up.
    if (current === question) leave();
    beginNext();
  }

  /** Ends the turn of the current text. */
  function leave(): Question | undefined {
    const left = current;
    current = undefined;
    clearTimeout(timer);
    return left;
  }

  async function endThread(): Promise<void> {
    const ended = thread;
    thread = undefined;
    await ended?.end();
  }

  function beginNext(): void {
    if (current !== undefined || isClosed) return;
    current = waiting.shift();
    if (current === undefined) {
      // The thread still holds the memory of a large text.
      if (!keepsThread) void endThread();
      return;
    }
    const { limitMs } = current;
    const question = current;
    if (limitMs !== undefined)
      timer = setTimeout(
        () => giveUp(question, new ChunkingTimeout(`It takes longer than ${limitMs / 1000} s`)),
        limitMs,
      );
    void cut(question);
  }

  function giveUp(question: Question, reason: unknown): void {
    const place = waiting.indexOf(question);
    if (place >= 0) waiting.splice(place, 1);
    else if (current === question) {
      leave();
      // Only ending the thread interrupts its computation.
      void endThread();
    }
    question.reject(reason);
    beginNext();
  }

  return {
    async ask(task, { signal, limitMs } = {}) {
      signal?.throwIfAborted();
      if (isClosed) throw new Error('The service ends');
      const { promise, resolve, reject } = Promise.withResolvers<ChunkingAnswer>();
      const question: Question = { task, limitMs, resolve, reject };
      const onAbort = (): void => giveUp(question, signal?.reason);
      signal?.addEventListener('abort', onAbort);
      waiting.push(question);
      beginNext();
      try {
        return await promise;
      } finally {
        signal?.removeEventListener('abort', onAbort);
      }
    },
    async close() {
      isClosed = true;
      for (const { reject } of [leave(), ...waiting.splice(0)].filter((one) => one !== undefined))
        reject(new Error('The service ends'));
      await endThread();
    },
  };
}
