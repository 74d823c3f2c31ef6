export { IndexFailure } from './index-failure.ts';
export { createLanceStore } from './lance-store.ts';
export { foldWord } from './text-folding.ts';
export { partsOf } from './word-parts.ts';
export { cutWords } from './words.ts';
export type { FoundChunk, IndexedChunk, IndexedUnit, VectorIndex, VectorStore } from './vector-store.ts';
