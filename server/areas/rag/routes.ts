import { callerGone } from '../../http/caller-gone.ts';
import { envelopeSchema } from '../../http/envelope.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import type { Answers } from './answers.ts';
import type { ChunkingPreviews } from './chunking-preview.ts';
import { documentRoutes, type DocumentNouns } from './document-routes.ts';
import type { Evaluation } from './evaluation.ts';
import type { KnowledgeBases } from './knowledge-bases.ts';
import type { Rebuilds } from './rebuilds.ts';
import type { Search } from './search/search.ts';
import {
  AnswerBody,
  AnswerEventsSchema,
  AnswerSchema,
  ChunkingPreviewBody,
  ChunkingPreviewSchema,
  EvaluateBody,
  EvaluationResultSchema,
  KnowledgeBaseChangesBody,
  KnowledgeBasePageSchema,
  KnowledgeBaseParams,
  KnowledgeBaseSchema,
  KnowledgeBasesQuery,
  NewKnowledgeBaseBody,
  SearchBody,
  SearchResultSchema,
  idsBodyLimit,
} from './schemas.ts';

const tags = ['Knowledge bases'];

/** Routes under `/rag`. */
export function ragRoutes({
  knowledgeBases,
  rebuilds,
  search,
  previews,
  answers,
  evaluation,
  ...documents
}: DocumentNouns & {
  knowledgeBases: KnowledgeBases;
  rebuilds: Pick<Rebuilds, 'switchNow' | 'giveUp'>;
  search: Search;
  previews: ChunkingPreviews;
  answers: Answers;
  evaluation: Evaluation;
}): AreaRoutes {
  return async (app) => {
    await documentRoutes(documents)(app);
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
          description:
            'Another model or chunking builds another index; until it is used, searches, settings and counts are those of the index in use. ' +
            'Settings that are not given are those in use. The same change again goes on with a rebuild, another one replaces it, and a change back gives it up.',
          tags,
          params: KnowledgeBaseParams,
          body: KnowledgeBaseChangesBody,
          response: { 200: KnowledgeBaseSchema },
        },
      },
      (request) => knowledgeBases.change(request.params.knowledgeBaseId, request.body, request.principal.username),
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
      '/knowledge-bases/:knowledgeBaseId/rebuild/switch',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'switchKnowledgeBase',
          summary: 'Let searches ask the rebuilt index',
          description: 'Documents that it could not index are then FAILED.',
          tags,
          params: KnowledgeBaseParams,
          response: { 200: KnowledgeBaseSchema },
        },
      },
      async (request) => {
        await rebuilds.switchNow(request.params.knowledgeBaseId);
        return knowledgeBases.get(request.params.knowledgeBaseId);
      },
    );
    app.delete(
      '/knowledge-bases/:knowledgeBaseId/rebuild',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'giveUpKnowledgeBaseRebuild',
          summary: 'Give up a rebuild; the index in use stays',
          tags,
          params: KnowledgeBaseParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await rebuilds.giveUp(request.params.knowledgeBaseId);
        return null;
      },
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
      (request, reply) => previews.preview(request.params.knowledgeBaseId, request.body, callerGone(reply)),
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/search',
      {
        bodyLimit: idsBodyLimit,
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
      (request, reply) => search.search(request.params.knowledgeBaseId, request.body, callerGone(reply)),
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/answer',
      {
        bodyLimit: idsBodyLimit,
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
        const gone = callerGone(reply);
        if (request.body.stream !== true) return answers.answer(knowledgeBaseId, request.body, gone);
        const feed = await answers.stream(knowledgeBaseId, request.body, gone);
        return request.server.eventStreams.open(request, reply, feed);
      },
    );
    app.post(
      '/knowledge-bases/:knowledgeBaseId/evaluate',
      {
        bodyLimit: 1024 * 1024,
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
      (request, reply) => evaluation.evaluate(request.params.knowledgeBaseId, request.body, callerGone(reply)),
    );
  };
}
