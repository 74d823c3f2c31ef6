import { parentPort } from 'node:worker_threads';
import { ChunksRepeatError, cutText, type Cut } from './chunking.ts';
import type { ChunkingReply, ChunkingTask } from './chunking-protocol.ts';
import { forgetWords } from './measure.ts';

const port = parentPort;
if (port === null) throw new Error('This module runs as a worker thread');

port.on('message', (task: ChunkingTask) => {
  port.postMessage(answerOf(task));
  forgetWords();
});

function answerOf({ text, chunking, pages, syntax, limit }: ChunkingTask): ChunkingReply {
  try {
    const cuts: Cut[] = [];
    let total = 0;
    for (const cut of cutText(text, chunking, pages, syntax)) {
      total += 1;
      if (total <= limit) cuts.push(cut);
    }
    return { cuts, total };
  } catch (error) {
    return { message: (error as Error).message, repeats: error instanceof ChunksRepeatError };
  }
}
