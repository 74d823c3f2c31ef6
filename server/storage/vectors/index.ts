export { createLanceStore } from './lance-store.ts';
export type { FoundChunk, IndexedChunk, IndexedUnit, VectorIndex, VectorStore } from './vector-store.ts';
