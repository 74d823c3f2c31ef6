import type { Chunk, Chunking, PageRange } from './chunking.ts';

/** What the thread is asked, and its answer under the same id. */
export type ChunkingTask = { id: number; text: string; chunking: Chunking; pages: readonly PageRange[] };
export type ChunkingReply = { id: number } & ({ chunks: Chunk[] } | { message: string });
