import { chunkOf, type Chunk, type Chunking, type PageRange } from './chunking.ts';
import { createChunkingLane, type AskOptions } from './chunking-lane.ts';
import type { TextSyntax } from './structure.ts';

export { ChunkingTimeout } from './chunking-lane.ts';

/** Cuts texts in threads of their own, so that a book blocks neither requests, nor small texts, nor previews. */
export type ChunkingThread = {
  /** Throws ChunksRepeatError, and the signal's reason after an abort. */
  chunk(
    text: string,
    chunking: Chunking,
    pages?: readonly PageRange[],
    syntax?: TextSyntax,
    signal?: AbortSignal,
  ): Promise<Chunk[]>;
  /** The first `limit` chunks and how many there are. Throws ChunkingTimeout, too. */
  preview(
    text: string,
    chunking: Chunking,
    options: AskOptions & { pages: readonly PageRange[]; syntax?: TextSyntax; limit: number },
  ): Promise<{ chunks: Chunk[]; total: number }>;
  close(): Promise<void>;
};

/** Enough for the chunks of the largest text in any sensible size. */
const defaultMemoryMb = 2048;
/** A preview keeps few chunks. */
const previewMemoryMb = 512;
/** Texts of more UTF-16 code units take seconds, in which others would wait. */
const largeUnits = 1 << 21;

/** A text whose chunks need more memory than allowed fails; others that wait meanwhile do not. */
export function createChunkingThread({ memoryMb = defaultMemoryMb } = {}): ChunkingThread {
  const small = createChunkingLane({ memoryMb, keepsThread: true });
  const large = createChunkingLane({ memoryMb, keepsThread: false });
  const previews = createChunkingLane({ memoryMb: Math.min(memoryMb, previewMemoryMb), keepsThread: false });

  return {
    async chunk(text, chunking, pages = [], syntax = 'MARKDOWN', signal) {
      const lane = text.length > largeUnits ? large : small;
      const task = { text, chunking, pages, syntax, limit: Number.POSITIVE_INFINITY };
      const { cuts } = await lane.ask(task, { signal });
      return cuts.map((cut) => chunkOf(text, cut));
    },
    async preview(text, chunking, { pages, syntax = 'MARKDOWN', limit, ...options }) {
      const { cuts, total } = await previews.ask({ text, chunking, pages, syntax, limit }, options);
      return { chunks: cuts.map((cut) => chunkOf(text, cut)), total };
    },
    async close() {
      await Promise.all([small, large, previews].map((lane) => lane.close()));
    },
  };
}
