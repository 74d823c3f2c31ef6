import type { FastifyReply } from 'fastify';
import { readJsonBody, defaultJsonBytes } from '../../http/json-body.ts';
import { receiveForm } from '../../http/multipart.ts';
import { envelopeSchema } from '../../http/envelope.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import { bodyValidator } from '../../http/validation.ts';
import type { Answers } from './answers.ts';
import type { ChunkingPreviews } from './chunking-preview.ts';
import type { RagDocuments } from './documents.ts';
import type { Evaluation } from './evaluation.ts';
import type { KnowledgeBases } from './knowledge-bases.ts';
import type { Search } from './search/search.ts';
import {
  AnswerBody,
  AnswerEventsSchema,
  AnswerSchema,
  ChunkingPreviewBody,
  ChunkingPreviewSchema,
  ChunksQuery,
  DocumentFilesForm,
  DocumentParams,
  DocumentsOfDatasetBody,
  EvaluateBody,
  EvaluationResultSchema,
  KnowledgeBaseChangesBody,
  KnowledgeBasePageSchema,
  KnowledgeBaseParams,
  KnowledgeBaseSchema,
  KnowledgeBasesQuery,
  NewKnowledgeBaseBody,
  RagChunkPageSchema,
  RagDocumentPageSchema,
  RagDocumentSchema,
  RagDocumentsQuery,
  SearchBody,
  SearchResultSchema,
} from './schemas.ts';

const tags = ['Knowledge bases'];
const readDocumentsOfDataset = bodyValidator(DocumentsOfDatasetBody, 'POST');

/** Routes under `/rag`. */
export function ragRoutes({
  knowledgeBases,
  documents,
  search,
  previews,
  answers,
  evaluation,
}: {
  knowledgeBases: KnowledgeBases;
  documents: RagDocuments;
  search: Search;
  previews: ChunkingPreviews;
  answers: Answers;
  evaluation: Evaluation;
}): AreaRoutes {
  return (app) => {
    app.get(
      '/knowledge-bases',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listKnowledgeBases',
          summary: 'List knowledge bases',
          tags,
          querystring: KnowledgeBasesQuery,
          response: { 200: KnowledgeBasePageSchema },
        },
      },
      (request) => knowledgeBases.list(request.query),
    );
    app.post(
      '/knowledge-bases',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'createKnowledgeBase',
          summary: 'Create a knowledge base',
          tags,
          body: NewKnowledgeBaseBody,
          response: { 201: KnowledgeBaseSchema },
        },
      },
      (request) => knowledgeBases.create(request.body, request.principal.username),
    );
    app.get(
      '/knowledge-bases/:knowledgeBaseId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getKnowledgeBase',
          summary: 'Show a knowledge base',
          tags,
          params: KnowledgeBaseParams,
          response: { 200: KnowledgeBaseSchema },
        },
      },
      (request) => knowledgeBases.get(request.params.knowledgeBaseId),
    );
    app.put(
      '/knowledge-bases/:knowledgeBaseId',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'changeKnowledgeBase',
          summary: 'Change a knowledge base',
          description: 'Model and chunking can be changed while there are no documents.',
          tags,
          params: KnowledgeBaseParams,
          body: KnowledgeBaseChangesBody,
          response: { 200: KnowledgeBaseSchema },
        },
      },
      (request) => knowledgeBases.change(request.params.knowledgeBaseId, request.body),
    );
    app.delete(
      '/knowledge-bases/:knowledgeBaseId',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteKnowledgeBase',
          summary: 'Delete a knowledge base with its documents',
          tags,
          params: KnowledgeBaseParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await knowledgeBases.remove(request.params.knowledgeBaseId);
        return null;
      },
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/documents',
      {
        config: {
          access: 'EDITOR',
          body: 'stream',
          streamBody: {
            contentType: 'multipart/form-data',
            schema: DocumentFilesForm,
            orJson: DocumentsOfDatasetBody,
          },
        },
        schema: {
          operationId: 'addRagDocuments',
          summary: 'Add documents: files as multipart/form-data, or files of a dataset as JSON',
          description:
            'Answers at once; each document is then read, cut, embedded and indexed, and ends COMPLETED, PARTIAL or FAILED. At most 1,000 files in a call.',
          tags,
          params: KnowledgeBaseParams,
          response: { 201: RagDocumentPageSchema },
        },
      },
      async (request) => {
        const { knowledgeBaseId } = request.params;
        const by = request.principal.username;
        if (/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
          const body = readDocumentsOfDataset(await readJsonBody(request.raw, defaultJsonBytes));
          return documents.addFromDataset(knowledgeBaseId, body, by);
        }
        return receiveForm(request.raw, documents.receive(knowledgeBaseId, by));
      },
    );
    app.get(
      '/knowledge-bases/:knowledgeBaseId/documents',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listRagDocuments',
          summary: 'List documents with their states and receipts',
          tags,
          params: KnowledgeBaseParams,
          querystring: RagDocumentsQuery,
          response: { 200: RagDocumentPageSchema },
        },
      },
      (request) => documents.list(request.params.knowledgeBaseId, request.query),
    );
    app.get(
      '/knowledge-bases/:knowledgeBaseId/documents/:documentId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getRagDocument',
          summary: 'Show a document',
          tags,
          params: DocumentParams,
          response: { 200: RagDocumentSchema },
        },
      },
      (request) => documents.get(request.params.knowledgeBaseId, request.params.documentId),
    );
    app.delete(
      '/knowledge-bases/:knowledgeBaseId/documents/:documentId',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteRagDocument',
          summary: 'Delete a document; once this has answered, searches find nothing of it',
          tags,
          params: DocumentParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await documents.remove(request.params.knowledgeBaseId, request.params.documentId);
        return null;
      },
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/documents/:documentId/retry',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'retryRagDocument',
          summary: 'Process a document again',
          description: 'A text that was read and vectors that are stored are not made again.',
          tags,
          params: DocumentParams,
          response: { 200: RagDocumentSchema },
        },
      },
      (request) =>
        documents.retry(request.params.knowledgeBaseId, request.params.documentId, request.principal.username),
    );
    app.get(
      '/knowledge-bases/:knowledgeBaseId/documents/:documentId/chunks',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listRagChunks',
          summary: 'List the chunks of a document in their order',
          tags,
          params: DocumentParams,
          querystring: ChunksQuery,
          response: { 200: RagChunkPageSchema },
        },
      },
      (request) => documents.listChunks(request.params.knowledgeBaseId, request.params.documentId, request.query),
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/chunking/preview',
      {
        bodyLimit: 1024 * 1024,
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'previewChunking',
          summary: 'Cut a text, or that of a document; stores nothing',
          tags,
          params: KnowledgeBaseParams,
          body: ChunkingPreviewBody,
          response: { 200: ChunkingPreviewSchema },
        },
      },
      (request) => previews.preview(request.params.knowledgeBaseId, request.body),
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/search',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'searchKnowledgeBase',
          summary: 'Search by meaning, by words, or both',
          tags,
          params: KnowledgeBaseParams,
          body: SearchBody,
          response: { 200: SearchResultSchema },
        },
      },
      (request, reply) => search.search(request.params.knowledgeBaseId, request.body, goneSignal(reply)),
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/answer',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'answerFromKnowledgeBase',
          summary: 'Answer a question from the documents, with citations',
          description:
            'The chunks found go to the model as data between tags. Where nothing relevant was found, no model is called and `answer` is null: relevant is a chunk with a word of the query, or with a cosine similarity of at least 0.25.',
          tags,
          params: KnowledgeBaseParams,
          body: AnswerBody,
          response: {
            200: {
              description: 'The answer, or the events that lead to it',
              content: {
                'application/json': { schema: envelopeSchema(AnswerSchema) },
                'text/event-stream': { schema: AnswerEventsSchema },
              },
            },
          },
        },
      },
      async (request, reply) => {
        const { knowledgeBaseId } = request.params;
        const gone = goneSignal(reply);
        if (request.body.stream !== true) return answers.answer(knowledgeBaseId, request.body, gone);
        const feed = await answers.stream(knowledgeBaseId, request.body, gone);
        return request.server.eventStreams.open(request, reply, feed);
      },
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/evaluate',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'evaluateKnowledgeBase',
          summary: 'Measure how well several settings find what questions are about',
          description:
            'Recall@k, mean reciprocal rank and nDCG@k with intervals. Generated questions are about chunks spread evenly over the knowledge base; relevant is the chunk that a question was made from.',
          tags,
          params: KnowledgeBaseParams,
          body: EvaluateBody,
          response: { 200: EvaluationResultSchema },
        },
      },
      (request, reply) => evaluation.evaluate(request.params.knowledgeBaseId, request.body, goneSignal(reply)),
    );
  };
}

/** Aborted when the caller has gone. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
