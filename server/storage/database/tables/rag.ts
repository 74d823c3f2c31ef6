/** A knowledge base and how its documents become chunks. */
export type KnowledgeBasesTable = {
  id: string;
  name: string;
  description: string;
  embedding_model: string;
  /** The index that searches ask; another one takes its place when a rebuild is complete. */
  index_id: string;
  /** Numbers of a vector; null until the first text was embedded. */
  dimensions: number | null;
  /** JSON: strategy, size, overlap, unit, separators. */
  chunking: string;
  /** The latest number of a unit; units are numbered within their knowledge base. */
  last_unit: number;
  /** The latest number of a document that searches have come to find in this index; 0 unless nodes follow each other. */
  found_revision: number;
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
  /** Of the bytes; with the size, finds documents with the same ones. */
  crc32: number;
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
  /** How often its reading was begun and not ended. */
  readings: number;
  /** The text that was read, in UTF-8, with one reference; null until it was read. */
  text_blob_id: string | null;
  /** JSON: the pages of the text, in UTF-16 code units. */
  pages: string | null;
  /** JSON: what reading gave. */
  receipt: string | null;
  /** Its chunks that searches find; null until there are some. */
  unit: number | null;
  chunks: number;
  /** The same in the index that a rebuild makes; null until it has them. */
  next_unit: number | null;
  next_chunks: number;
  /** Why the rebuild could not index it. */
  next_cause: string | null;
  /** Its number among those that searches have come to find, in the index in use and in the one that a rebuild makes. */
  found_revision: number;
  next_found_revision: number;
  created_at: string;
  created_by: string;
  finished_at: string | null;
};

/** An index of a knowledge base with other settings, until it takes the place of the one in use. */
export type RagRebuildsTable = {
  knowledge_base_id: string;
  /** Also the task of its run. */
  index_id: string;
  embedding_model: string;
  dimensions: number | null;
  chunking: string;
  /** AUTOMATIC: used as soon as it is complete. */
  switch: 'AUTOMATIC' | 'MANUAL';
  status: 'BUILDING' | 'READY' | 'FAILED';
  /** Why it failed, or waits although it should switch by itself. */
  cause: string | null;
  /** As that of the knowledge base, for this index. */
  found_revision: number;
  started_at: string;
  started_by: string;
};

/** An index that is no longer used: its units, and the documents of a deleted knowledge base, are deleted in steps. */
export type RagDisposalsTable = {
  index_id: string;
  knowledge_base_id: string;
  embedding_model: string;
  /** Until then the vectors that were paid for stay, for an index that is made again. Null: no longer than the deletion takes. */
  keep_until: string | null;
};

/** Chunks of a document, made together: found by searches if the document names the unit. */
export type RagUnitsTable = {
  knowledge_base_id: string;
  unit: number;
  index_id: string;
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
