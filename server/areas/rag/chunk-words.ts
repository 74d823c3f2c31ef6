import type { RagChunksTable } from '../../storage/database/tables/rag.ts';
import type { IndexedChunk } from '../../storage/vectors/index.ts';

/** The part of a chunk that a model embeds and the word index indexes: its headings, then its text. */
export function wordsOf({ text, headings }: { text: string; headings: readonly string[] }): string {
  return headings.length === 0 ? text : `${headings.join(' > ')}\n\n${text}`;
}

export function wordsOfRow(row: RagChunksTable): string {
  return wordsOf({ text: row.text, headings: JSON.parse(row.headings) as string[] });
}

/** A chunk in the form the index stores. */
export function indexedOf(row: RagChunksTable, vector: Float32Array): IndexedChunk {
  return { unit: row.unit, ordinal: row.chunk_no, words: wordsOfRow(row), vector };
}
