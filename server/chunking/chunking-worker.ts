import { parentPort } from 'node:worker_threads';
import { chunkText } from './chunking.ts';
import type { ChunkingReply, ChunkingTask } from './chunking-protocol.ts';

const port = parentPort;
if (port === null) throw new Error('This module runs as a worker thread');

port.on('message', ({ id, text, chunking, pages, syntax }: ChunkingTask) => {
  let reply: ChunkingReply;
  try {
    reply = { id, chunks: chunkText(text, chunking, pages, syntax) };
  } catch (error) {
    reply = { id, message: (error as Error).message };
  }
  port.postMessage(reply);
});
