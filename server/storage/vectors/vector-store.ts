/** A chunk as an index holds it: its number within a unit, the words to find it by, and its vector. */
export type IndexedChunk = { unit: number; ordinal: number; words: string; vector: Float32Array };

/** A chunk that was found. */
export type FoundChunk = { unit: number; ordinal: number; score: number };

export type FindOptions = {
  /** Maximum number of chunks. */
  limit: number;
  /** Finds only chunks of these units. */
  units?: readonly number[] | undefined;
};

/** What an index has of a unit: rows, of these different chunks, and the highest number of a chunk. */
export type IndexedUnit = { rows: number; chunks: number; highest: number };

/**
 * An index of chunks by their vectors and their words. A unit is what is added and removed together. The index is made
 * from data that is stored elsewhere: power loss may take what was written last, and then it is made again. Its methods
 * throw IndexFailure when it can't be read or written.
 */
export type VectorIndex = {
  readonly dimensions: number;
  /** Adds chunks, which searches then find; chunks that are there already would be there twice. */
  add(chunks: readonly IndexedChunk[]): Promise<void>;
  /** Removes all chunks of units; searches no longer find them. */
  remove(units: readonly number[]): Promise<void>;
  /** The nearest chunks with their cosine similarity, in descending order; none for the zero vector. */
  findNearest(vector: Float32Array, options: FindOptions): Promise<FoundChunk[]>;
  /** The chunks with words of the query and their BM25 score, in descending order. */
  findWords(query: string, options: FindOptions): Promise<FoundChunk[]>;
  /** Joins what was written in small parts; then each word is found. */
  join(): Promise<void>;
  /** What it has of each unit, or of these. */
  countByUnit(units?: readonly number[]): Promise<ReadonlyMap<number, IndexedUnit>>;
};

export type VectorStore = {
  /** Opens an index, or creates an empty one; an index that can't be read, or with other dimensions, is replaced by an empty one. */
  open(id: string, dimensions: number): Promise<VectorIndex>;
  drop(id: string): Promise<void>;
  /** What an index has of each unit, and changes nothing; undefined if there is no index. Throws if it can't be read. */
  inspect(id: string): Promise<ReadonlyMap<number, IndexedUnit> | undefined>;
  /** Ids of all indexes. */
  list(): Promise<string[]>;
  /** Waits for background work. */
  close(): Promise<void>;
};
