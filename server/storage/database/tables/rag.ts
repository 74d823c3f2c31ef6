/** A knowledge base and how its documents become chunks. */
export type KnowledgeBasesTable = {
  id: string;
  name: string;
  description: string;
  embedding_model: string;
  /** Numbers of a vector; null until the first text was embedded. */
  dimensions: number | null;
  /** JSON: strategy, size, overlap, unit, separators. */
  chunking: string;
  /** The latest number of a unit; units are numbered within their knowledge base. */
  last_unit: number;
  created_at: string;
  created_by: string;
  updated_at: string;
};

export type RagDocumentsTable = {
  id: string;
  knowledge_base_id: string;
  name: string;
  /** Extension in lower case, without its dot. */
  file_type: string;
  size_bytes: number;
  /** The file, with one reference. */
  blob_id: string;
  /** The file of a dataset that it was taken from. */
  dataset_id: string | null;
  file_id: string | null;
  dataset_version: number | null;
  /** JSON: list of texts; object of texts. */
  tags: string;
  metadata: string;
  status: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'PARTIAL' | 'FAILED';
  /** Why it failed. */
  cause: string | null;
  /** The text that was read, in UTF-8, with one reference; null until it was read. */
  text_blob_id: string | null;
  /** JSON: the pages of the text, in UTF-16 code units. */
  pages: string | null;
  /** JSON: what reading gave. */
  receipt: string | null;
  /** Its chunks that searches find; null until there are some. */
  unit: number | null;
  chunks: number;
  created_at: string;
  created_by: string;
  finished_at: string | null;
};

/** Chunks of a document, made together: found by searches if the document names the unit. */
export type RagUnitsTable = {
  knowledge_base_id: string;
  unit: number;
  document_id: string;
  chunks: number;
};

export type RagChunksTable = {
  knowledge_base_id: string;
  unit: number;
  /** From 0, in the order of the text. */
  chunk_no: number;
  text: string;
  /** Offsets in code points of the text that was read. */
  start_at: number;
  end_at: number;
  page: number | null;
  /** JSON: list of the headings above. */
  headings: string;
};

/** Vectors that were paid for, of some chunks of a unit in their order: 32-bit floats, with one reference. */
export type RagVectorsTable = {
  knowledge_base_id: string;
  unit: number;
  first_chunk: number;
  chunks: number;
  blob_id: string;
};
