import { createFairPlaces } from '../../kernel/fair-places.ts';

/** A text to read, and the knowledge base whose turn it uses. */
export type TextToRead = { knowledgeBaseId: string; sizeBytes: number };

/** Reads texts in parallel as long as they fit into memory together; knowledge bases take turns. */
export type ReadingLanes = {
  /** Waits until there is room for the text; throws the signal's reason after an abort. */
  run<T>(text: TextToRead, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Like `run`, but while nothing else is read. */
  runAlone<T>(knowledgeBaseId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
};

const mebibyte = 1 << 20;

/** Reading and cutting a text needs a few times its size in memory. */
export function createReadingLanes(maxMebibytes = 128): ReadingLanes {
  const places = createFairPlaces(maxMebibytes);
  const run: ReadingLanes['run'] = async ({ knowledgeBaseId, sizeBytes }, signal, work) => {
    const wanted = Math.min(Math.max(Math.ceil(sizeBytes / mebibyte), 1), maxMebibytes);
    const leave = await places.acquire(knowledgeBaseId, signal, wanted);
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return {
    run,
    runAlone: (knowledgeBaseId, signal, work) => run({ knowledgeBaseId, sizeBytes: Infinity }, signal, work),
  };
}
