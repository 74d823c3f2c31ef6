export { IndexFailure } from './index-failure.ts';
export { createLanceStore } from './lance-store.ts';
export { foldWord, partsOf, cutWords } from './words.ts';
export type { FoundChunk, IndexedChunk, IndexedUnit, VectorIndex, VectorStore } from './vector-store.ts';
