export { createLanceStore } from './lance-store.ts';
export type { FoundChunk, IndexedChunk, VectorIndex, VectorStore } from './vector-store.ts';
