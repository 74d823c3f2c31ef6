import { defineErrors } from '../../kernel/errors.ts';

/** Codes of this area beyond the common ones. */
export const ragErrors = defineErrors('rag', {
  KNOWLEDGE_BASE_NOT_FOUND: ['not-found', 'Knowledge base {id} does not exist'],
  KNOWLEDGE_BASE_ALREADY_EXISTS: ['conflict', 'A knowledge base named {name} exists already; choose another name'],
  KNOWLEDGE_BASE_INDEX_REBUILDING: [
    'unavailable',
    'The index of knowledge base {id} is being made again: {done} of {total} chunks are back; try again in {seconds} s',
  ],
  REBUILD_NOT_FOUND: ['not-found', 'Knowledge base {id} has no rebuild'],
  REBUILD_NOT_READY: ['conflict', 'The new index is {status}; wait until it is READY'],
  RAG_TOO_MANY_DOCUMENTS: [
    'conflict',
    'The knowledge base has {count} documents, and {more} more would be more than the allowed {limit}; use another one',
  ],
  RAG_DOCUMENT_NOT_FOUND: ['not-found', 'Document {id} does not exist in this knowledge base'],
  RAG_DOCUMENT_BUSY: ['conflict', 'Document {id} is being processed; wait until it has ended'],
  QUERY_NOT_EMBEDDED: ['unavailable', 'The model {model} gave no vector of the query: {problem}'],
  RAG_NOT_RERANKED: ['unavailable', 'The model {model} did not rank the hits: {problem}'],
  RAG_NOTHING_TO_ASK: ['conflict', 'No question could be made: the knowledge base needs chunks with whole sentences'],
  RAG_NO_ANSWER: ['unavailable', 'The model {model} gave no answer: {problem}'],
  RAG_PREVIEW_TOO_LONG: [
    'unavailable',
    'Cutting this text takes longer than {seconds} s; preview a shorter text, or try again when less is running',
  ],
  RAG_TEXT_NOT_READ: ['conflict', 'Document {id} has no text: {cause}'],
});
