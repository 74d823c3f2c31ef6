import { chunkOf, type Chunk, type Chunking, type PageRange } from './chunking.ts';
import { createChunkingLane, type AskOptions } from './chunking-lane.ts';
import type { TextSyntax } from './structure.ts';

export { ChunkingTimeout } from './chunking-lane.ts';

/** Chunks texts in separate threads, so that a book blocks neither requests nor small texts nor previews. */
export type ChunkingThread = {
  /** Throws ChunksRepeatError, or the signal's reason after an abort. */
  chunk(
    text: string,
    chunking: Chunking,
    pages?: readonly PageRange[],
    syntax?: TextSyntax,
    signal?: AbortSignal,
  ): Promise<Chunk[]>;
  /** Returns the first `limit` chunks and the total. Also throws ChunkingTimeout. */
  preview(
    text: string,
    chunking: Chunking,
    options: AskOptions & { pages: readonly PageRange[]; syntax?: TextSyntax; limit: number },
  ): Promise<{ chunks: Chunk[]; total: number }>;
  close(): Promise<void>;
};

/** Enough for the chunks of the largest text at any sensible chunk size. */
const defaultMemoryMb = 2048;
/** A preview keeps only a few chunks. */
const previewMemoryMb = 512;
/** Texts with more UTF-16 code units take seconds, for which others would have to wait. */
const largeUnits = 1 << 21;

/** A text whose chunks need more memory than allowed fails; waiting texts are not affected. */
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
