import type { Chunking, Cut, PageRange } from './chunking.ts';
import type { TextSyntax } from './structure.ts';

/** What a thread is asked, one text after another, and its answer: the places of the chunks, the first `limit` of them. */
export type ChunkingTask = {
  text: string;
  chunking: Chunking;
  pages: readonly PageRange[];
  syntax: TextSyntax;
  limit: number;
};
export type ChunkingReply = { cuts: Cut[]; total: number } | { message: string; repeats: boolean };
