import { Worker } from 'node:worker_threads';
import { builtModule } from '../../kernel/built-modules.ts';
import { createGroupCommit } from '../../kernel/group-commit.ts';
import type { EmbeddingReply } from './embedding-protocol.ts';
import { hashDimensions, hashEmbedding } from './hash-embedding.ts';

/** Fewer take less time than the way to the thread and back. */
const fewTexts = 2;
/** Callers whose texts travel in one message. */
const callersAtOnce = 64;

type Question = { resolve(vectors: Float32Array<ArrayBuffer>): void; reject(error: Error): void };

let worker: Worker | undefined;
let question: Question | undefined;

/** While the thread computes, the texts of the next callers gather. */
const gathered = createGroupCommit<readonly string[], Float32Array[]>(
  async (group) => {
    const vectors = await ask(group.flatMap(({ item }) => item));
    let at = 0;
    for (const { item, resolve } of group)
      resolve(item.map(() => vectors.subarray(at * hashDimensions, ++at * hashDimensions)));
  },
  { maxItems: callersAtOnce },
);

/** The embeddings of texts by `hashEmbedding`, made in a thread of their own: requests are answered meanwhile. */
export async function hashEmbeddings(texts: readonly string[]): Promise<Float32Array[]> {
  return texts.length <= fewTexts ? texts.map((text) => hashEmbedding(text)) : gathered.commit(texts);
}

function ask(texts: readonly string[]): Promise<Float32Array<ArrayBuffer>> {
  worker ??= start();
  const { promise, resolve, reject } = Promise.withResolvers<Float32Array<ArrayBuffer>>();
  question = { resolve, reject };
  // Only texts that are being embedded keep the process alive.
  worker.ref();
  worker.postMessage({ texts });
  return promise;
}

function start(): Worker {
  const started = new Worker(builtModule(new URL('embedding-worker.ts', import.meta.url)), {
    name: 'embedding',
    env: {},
  });
  const leave = (): Question | undefined => {
    const left = question;
    question = undefined;
    return left;
  };
  started.on('message', (reply: EmbeddingReply) => {
    started.unref();
    if ('vectors' in reply) leave()?.resolve(reply.vectors);
    else leave()?.reject(new Error(reply.message));
  });
  const lost = (error: Error): void => {
    // An error is followed by an exit.
    if (worker !== started) return;
    worker = undefined;
    leave()?.reject(error);
  };
  started.on('error', lost);
  started.on('exit', () => lost(new Error('The thread that embeds texts ended')));
  return started;
}
