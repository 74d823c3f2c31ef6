/** A knowledge base and how its documents become chunks. */
export type KnowledgeBasesTable = {
  id: string;
  name: string;
  description: string;
  embedding_model: string;
  /** The index that searches use; replaced when a rebuild is complete. */
  index_id: string;
  /** Dimensions of a vector; null until the first text was embedded. */
  dimensions: number | null;
  /** JSON: strategy, size, overlap, unit, separators. */
  chunking: string;
  /** The latest unit number; units are numbered within their knowledge base. */
  last_unit: number;
  /** The latest number of a document that became searchable in this index; 0 unless nodes follow each other. */
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
  /** CRC-32 of the bytes; with the size, finds documents with equal bytes. */
  crc32: number;
  /** The file, with one reference. */
  blob_id: string;
  /** The dataset file that it was taken from. */
  dataset_id: string | null;
  file_id: string | null;
  dataset_version: number | null;
  /** JSON: list of texts; object of texts. */
  tags: string;
  metadata: string;
  status: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'PARTIAL' | 'FAILED';
  /** Why the document failed. */
  cause: string | null;
  /** JSON: code and values of the cause, here and in further tables as `kernel/stored-reason.ts` writes them. */
  cause_sentence: string | null;
  /** How often reading it was begun but not finished. */
  readings: number;
  /** The extracted text, in UTF-8, with one reference; null until it was read. */
  text_blob_id: string | null;
  /** JSON: the page ranges in the text, in UTF-16 code units. */
  pages: string | null;
  /** JSON: result of the reading. */
  receipt: string | null;
  /** The unit with its searchable chunks; null until there are any. */
  unit: number | null;
  chunks: number;
  /** The same in the index of a rebuild; null until the rebuild has its chunks. */
  next_unit: number | null;
  next_chunks: number;
  /** Why the rebuild could not index it. */
  next_cause: string | null;
  next_cause_sentence: string | null;
  /** Its number in the order in which documents became searchable, in the index in use and in that of a rebuild. */
  found_revision: number;
  next_found_revision: number;
  created_at: string;
  created_by: string;
  finished_at: string | null;
};

/** An index of a knowledge base with other settings, until it replaces the one in use. */
export type RagRebuildsTable = {
  knowledge_base_id: string;
  /** Also the task id of its run. */
  index_id: string;
  embedding_model: string;
  dimensions: number | null;
  chunking: string;
  /** AUTOMATIC: used as soon as it is complete. */
  switch: 'AUTOMATIC' | 'MANUAL';
  status: 'BUILDING' | 'READY' | 'FAILED';
  /** Why it failed, or waits although it should switch automatically. */
  cause: string | null;
  cause_sentence: string | null;
  /** Like `found_revision` of the knowledge base, for this index. */
  found_revision: number;
  started_at: string;
  started_by: string;
};

/** An index that is no longer used: its units, and the documents of a deleted knowledge base, are deleted in steps. */
export type RagDisposalsTable = {
  index_id: string;
  knowledge_base_id: string;
  embedding_model: string;
  /** Paid vectors are kept until then, for an index that is rebuilt. Null: no longer than the deletion takes. */
  keep_until: string | null;
};

/** Chunks of a document, created together: searchable if the document refers to the unit. */
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
  /** Offsets in the extracted text, in code points. */
  start_at: number;
  end_at: number;
  page: number | null;
  /** JSON: where the pages of a chunk with text of several pages start in it; null for other chunks. */
  pages: string | null;
  /** JSON: list of the enclosing headings. */
  headings: string;
};

/** Paid vectors of consecutive chunks of a unit: 32-bit floats, with one reference. */
export type RagVectorsTable = {
  knowledge_base_id: string;
  unit: number;
  first_chunk: number;
  chunks: number;
  blob_id: string;
};
