import type { Chunk, Chunking, PageRange } from './chunking.ts';
import type { TextSyntax } from './structure.ts';

/** What the thread is asked, and its answer under the same id. */
export type ChunkingTask = {
  id: number;
  text: string;
  chunking: Chunking;
  pages: readonly PageRange[];
  syntax: TextSyntax;
};
export type ChunkingReply = { id: number } & ({ chunks: Chunk[] } | { message: string });
