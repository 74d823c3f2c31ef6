/** A chunk in an index: its number within a unit, its searchable words, and its vector. */
export type IndexedChunk = { unit: number; ordinal: number; words: string; vector: Float32Array };

/** A chunk that was found. */
export type FoundChunk = { unit: number; ordinal: number; score: number };

export type FindOptions = {
  /** Maximum number of chunks. */
  limit: number;
  /** Finds only chunks of these units. */
  units?: readonly number[] | undefined;
};

/** What an index contains of a unit: rows, distinct chunks among them, and the highest chunk number. */
export type IndexedUnit = { rows: number; chunks: number; highest: number };

/**
 * An index of chunks by their vectors and their words. A unit is added and removed as a whole. The index is derived from
 * data that is stored elsewhere: power loss may destroy the latest writes, and then the index is rebuilt. Its methods throw
 * IndexFailure if it can't be read or written.
 */
export type VectorIndex = {
  readonly dimensions: number;
  /** Adds chunks, which searches then find; adding existing chunks would duplicate them. */
  add(chunks: readonly IndexedChunk[]): Promise<void>;
  /** Removes all chunks of units; searches no longer find them. */
  remove(units: readonly number[]): Promise<void>;
  /** The nearest chunks with their cosine similarity, in descending order; none for the zero vector. */
  findNearest(vector: Float32Array, options: FindOptions): Promise<FoundChunk[]>;
  /** The chunks with words of the query and their BM25 score, in descending order. */
  findWords(query: string, options: FindOptions): Promise<FoundChunk[]>;
  /** Joins small parts of earlier writes; only then is every word found. */
  join(): Promise<void>;
  /** What the index contains of each unit, or of the given ones. */
  countByUnit(units?: readonly number[]): Promise<ReadonlyMap<number, IndexedUnit>>;
};

export type VectorStore = {
  /** Opens an index, or creates an empty one; an index that can't be read, or with other dimensions, is replaced by an empty one. */
  open(id: string, dimensions: number): Promise<VectorIndex>;
  drop(id: string): Promise<void>;
  /** Like `countByUnit`, but changes nothing; undefined if there is no index. Throws if it can't be read. */
  inspect(id: string): Promise<ReadonlyMap<number, IndexedUnit> | undefined>;
  /** Ids of all indexes. */
  list(): Promise<string[]>;
  /** Waits for background work. */
  close(): Promise<void>;
};
