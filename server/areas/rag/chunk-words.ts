import type { RagChunksTable } from '../../storage/database/tables/rag.ts';
import type { IndexedChunk } from '../../storage/vectors/index.ts';

/** What a model and the word index get of a chunk: the headings above it, and its text. */
export function wordsOf({ text, headings }: { text: string; headings: readonly string[] }): string {
  return headings.length === 0 ? text : `${headings.join(' > ')}\n\n${text}`;
}

export function wordsOfRow(row: RagChunksTable): string {
  return wordsOf({ text: row.text, headings: JSON.parse(row.headings) as string[] });
}

/** A chunk as an index holds it. */
export function indexedOf(row: RagChunksTable, vector: Float32Array): IndexedChunk {
  return { unit: row.unit, ordinal: row.chunk_no, words: wordsOfRow(row), vector };
}
