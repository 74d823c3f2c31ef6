/** Rows of an index: the vectors one after the other. */
export type GraphRows = { units: Int32Array; ordinals: Int32Array; vectors: Float32Array };

export type GraphWork =
  | { kind: 'create'; id: string; dimensions: number }
  | { kind: 'add'; id: string; rows: GraphRows }
  | { kind: 'remove'; id: string; units: readonly number[] }
  | { kind: 'find'; id: string; vector: Float32Array; limit: number }
  | { kind: 'drop'; id: string };

/** The nearest rows, best first, with their cosine similarity. */
export type GraphFound = { units: Int32Array; ordinals: Int32Array; scores: Float32Array };

export type GraphRequest = { call: number; work: GraphWork };
export type GraphReply = { call: number; found?: GraphFound; problem?: string };
