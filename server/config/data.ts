import { choice, integer } from './setting-types.ts';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;
const tebibyte = 1024 * gibibyte;

/** Limits for uploads, documents, queries and knowledge bases. */
export const dataSettings = {
  uploadTtlSeconds: integer('TILTH_UPLOAD_TTL_SECONDS', 7 * 24 * 60 * 60, {
    section: 'Uploads',
    sentence: 'Seconds without a chunk after which an unfinished upload expires and is deleted.',
    min: 1,
    max: 365 * 24 * 60 * 60,
  }),
  maxChunkBytes: integer('TILTH_MAX_CHUNK_BYTES', 64 * mebibyte, {
    section: 'Uploads',
    sentence: 'Largest chunk of an upload in bytes.',
    min: 1,
    max: gibibyte,
  }),

  archiveMaxEntries: integer('TILTH_ARCHIVE_MAX_ENTRIES', 1_000_000, {
    section: 'Archives',
    sentence: 'Maximum number of entries unpacked from one archive.',
    min: 1,
    max: 100_000_000,
  }),
  archiveMaxBytes: integer('TILTH_ARCHIVE_MAX_BYTES', 100 * gibibyte, {
    section: 'Archives',
    sentence: 'Maximum number of bytes unpacked from one archive.',
    min: 1,
    max: 1024 * tebibyte,
  }),
  archiveMaxRatio: integer('TILTH_ARCHIVE_MAX_RATIO', 1000, {
    section: 'Archives',
    sentence:
      'Maximum ratio of unpacked to packed size, also of compressed files that runs read; checked after the first 100 MiB.',
    min: 1,
    max: 1_000_000,
  }),

  documentTimeoutSeconds: integer('TILTH_DOCUMENT_TIMEOUT_SECONDS', 60, {
    section: 'Documents',
    sentence: 'CPU seconds for reading one document (PDF, Office, e-book, e-mail …); a document that needs more fails.',
    min: 1,
    max: 24 * 60 * 60,
  }),
  viewIndexMb: integer('TILTH_VIEW_INDEX_MB', 20_480, {
    section: 'Storage',
    sentence:
      'Disk space in MiB for the indexes of viewed tables; beyond it, the least recently used ones are deleted and rebuilt when needed.',
    min: 16,
    max: 1024 * 1024 * 1024,
  }),
  querySeconds: integer('TILTH_QUERY_SECONDS', 60, {
    section: 'Queries',
    sentence:
      'Seconds that a query over the tables of a dataset may take; ten times as many if its whole result is saved or downloaded.',
    min: 1,
    max: 24 * 60 * 60,
  }),
  queryMemoryMb: integer('TILTH_QUERY_MEMORY_MB', 1024, {
    section: 'Queries',
    sentence: 'Memory limit in MiB of a query; up to two queries run at a time, each in its own process.',
    min: 256,
    max: 1024 * 1024,
  }),
  queryDiskMb: integer('TILTH_QUERY_DISK_MB', 4096, {
    section: 'Queries',
    sentence:
      'Disk space in MiB that a query may use for sorts and joins that exceed its memory, and for a result that it writes.',
    min: 16,
    max: 1024 * 1024 * 1024,
  }),
  vectorGraphMb: integer('TILTH_VECTOR_GRAPH_MB', 512, {
    section: 'Documents',
    sentence:
      'Memory in MiB for the vectors of knowledge bases with 1,000 chunks or more, and for HNSW graphs of the largest ones; 0: vector searches read all vectors from the index.',
    min: 0,
    max: 1024 * 1024,
  }),
  documentMemoryMb: integer('TILTH_DOCUMENT_MEMORY_MB', 1024, {
    section: 'Documents',
    sentence: 'Memory in MiB for reading one document; a document that needs more fails.',
    min: 256,
    max: 1024 * 1024,
  }),
  documentProcesses: integer('TILTH_DOCUMENT_PROCESSES', 0, {
    section: 'Documents',
    sentence: 'Documents read in parallel, each in its own process; 0: one per processor core.',
    min: 0,
    max: 1024,
  }),

  ragMaxDocuments: integer('TILTH_RAG_MAX_DOCUMENTS', 100_000, {
    section: 'Knowledge bases',
    sentence: 'Maximum number of documents in one knowledge base.',
    min: 1,
    max: 10_000_000,
  }),
  ragMaxDocumentMb: integer('TILTH_RAG_MAX_DOCUMENT_MB', 256, {
    section: 'Knowledge bases',
    sentence:
      'Maximum size in MiB of the file of one document; a larger upload is refused, and a larger file of a dataset fails.',
    min: 1,
    max: 1024 * 1024,
  }),
  ragMaxDocumentCharacters: integer('TILTH_RAG_MAX_DOCUMENT_CHARACTERS', 64 * 1024 * 1024, {
    section: 'Knowledge bases',
    sentence: 'Maximum number of characters in the text of one document; a document with more fails.',
    min: 1000,
    max: 64 * 1024 * 1024,
  }),
  ragHtml: choice('TILTH_RAG_HTML', ['MAIN_CONTENT', 'WHOLE'], 'MAIN_CONTENT', {
    section: 'Knowledge bases',
    sentence:
      'Which part of HTML documents is read from now on: the main content, without menus, headers, footers, sidebars, forms and link lists, which the receipt counts; or the whole page.',
  }),
  ragMaxReadings: integer('TILTH_RAG_MAX_READINGS', 3, {
    section: 'Knowledge bases',
    sentence:
      'Number of times that reading a document may crash the service before the document fails; after that, only a manual retry reads it again.',
    min: 1,
    max: 100,
  }),
} as const;
