import { parentPort } from 'node:worker_threads';
import type { EmbeddingReply, EmbeddingTask } from './embedding-protocol.ts';
import { hashDimensions, hashEmbedding } from './hash-embedding.ts';

const port = parentPort;
if (port === null) throw new Error('This module runs as a worker thread');

port.on('message', (task: EmbeddingTask) => {
  const reply = answerOf(task);
  port.postMessage(reply, 'vectors' in reply ? [reply.vectors.buffer] : []);
});

function answerOf({ texts }: EmbeddingTask): EmbeddingReply {
  try {
    const vectors = new Float32Array(texts.length * hashDimensions);
    for (const [at, text] of texts.entries()) vectors.set(hashEmbedding(text), at * hashDimensions);
    return { vectors };
  } catch (error) {
    return { message: (error as Error).message };
  }
}
