/** Rows of an index; `vectors` holds the vectors one after the other. */
export type VectorRows = { units: Int32Array; ordinals: Int32Array; vectors: Float32Array };

/** How vectors are searched: one by one, or by a graph, which looks at only a few. */
export type SearchKind = 'FLAT' | 'GRAPH';

/** `units` restricts the search to rows of these units. */
export type Asked = { vector: Float32Array; limit: number; units?: readonly number[] | undefined };

export type ResidentWork =
  | { kind: 'create'; id: string; dimensions: number; search: SearchKind }
  | { kind: 'add'; id: string; rows: VectorRows }
  | { kind: 'remove'; id: string; units: readonly number[] }
  | { kind: 'find'; id: string; asked: Asked }
  | { kind: 'drop'; id: string };

/** The nearest rows, best first, with their cosine similarity. */
export type FoundRows = { units: Int32Array; ordinals: Int32Array; scores: Float32Array };

/** Vectors of one index in memory. */
export type ResidentVectors = {
  /** Skips existing rows and those without a direction. */
  add(rows: VectorRows): void;
  remove(units: readonly number[]): void;
  find(asked: Asked): FoundRows;
};
