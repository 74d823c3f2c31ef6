export type EmbeddingTask = { texts: readonly string[] };
/** The vectors of all texts, one behind the other. */
export type EmbeddingReply = { vectors: Float32Array<ArrayBuffer> } | { message: string };
