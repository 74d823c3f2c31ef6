import type { Chunking, Cut, PageRange } from './chunking.ts';
import type { TextSyntax } from './structure.ts';

/**
 * A request to the thread, which handles one text after another, and its answer: the positions of the first `limit`
 * chunks.
 */
export type ChunkingTask = {
  text: string;
  chunking: Chunking;
  pages: readonly PageRange[];
  syntax: TextSyntax;
  limit: number;
};
export type ChunkingReply = { cuts: Cut[]; total: number } | { message: string; repeats: boolean };
