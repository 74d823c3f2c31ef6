import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const ragErrors = defineErrors('rag', {
  KNOWLEDGE_BASE_NOT_FOUND: ['not-found', 'Knowledge base {id} does not exist'],
  KNOWLEDGE_BASE_ALREADY_EXISTS: ['conflict', 'A knowledge base named {name} already exists; choose another name'],
  KNOWLEDGE_BASE_INDEX_REBUILDING: [
    'unavailable',
    'The index of knowledge base {id} is being rebuilt: {done} of {total} chunks are done; try again in {seconds} s',
  ],
  REBUILD_NOT_FOUND: ['not-found', 'Knowledge base {id} has no rebuild'],
  REBUILD_NOT_READY: ['conflict', 'The new index is {status}; wait until it is READY'],
  RAG_TOO_MANY_DOCUMENTS: [
    'conflict',
    'The knowledge base has {count} documents, and {more} more would exceed the limit of {limit}; use another one',
  ],
  RAG_DOCUMENT_NOT_FOUND: ['not-found', 'Document {id} does not exist in this knowledge base'],
  RAG_DOCUMENT_BUSY: ['conflict', 'Document {id} is being processed; wait until this ends'],
  QUERY_NOT_EMBEDDED: ['unavailable', 'The model {model} returned no vector for the query: {problem}'],
  RAG_NOT_RERANKED: ['unavailable', 'The model {model} did not rank the hits: {problem}'],
  RAG_NOTHING_TO_ASK: [
    'conflict',
    'No question could be generated: the knowledge base needs chunks with whole sentences',
  ],
  RAG_NO_ANSWER: ['unavailable', 'The model {model} returned no answer: {problem}'],
  RAG_PREVIEW_TOO_LONG: [
    'unavailable',
    'Chunking this text takes longer than {seconds} s; preview a shorter text, or try again when the service is less busy',
  ],
  RAG_TEXT_NOT_READ: ['conflict', 'Document {id} has no text: {cause}'],
});
