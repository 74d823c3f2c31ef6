import { answerRequests } from '../processes/answer-requests.ts';
import { ChunksRepeatError, cutText, type Cut } from './chunking.ts';
import type { ChunkingReply, ChunkingTask } from './chunking-protocol.ts';
import { forgetWords } from './measure.ts';

answerRequests((task: ChunkingTask) => {
  try {
    return answerOf(task);
  } finally {
    forgetWords();
  }
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
