import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import type { KnowledgeBases } from './knowledge-bases.ts';
import type { Rebuilds } from './rebuilds.ts';
import {
  KnowledgeBaseChangesBody,
  KnowledgeBasePageSchema,
  KnowledgeBaseParams,
  KnowledgeBaseSchema,
  KnowledgeBasesQuery,
  NewKnowledgeBaseBody,
} from './schemas/knowledge-bases.ts';

const tags = ['Knowledge bases'];

/** Knowledge bases, and the rebuilds of their indexes. */
export function knowledgeBaseRoutes({
  knowledgeBases,
  rebuilds,
}: {
  knowledgeBases: KnowledgeBases;
  rebuilds: Pick<Rebuilds, 'switchNow' | 'giveUp'>;
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
          description:
            'Changing the model or chunking builds a new index; until the switch, searches, settings and counts are those of the current index. ' +
            'Omitted settings keep their current values. Repeating the same change resumes a rebuild, a different one replaces it, and changing back cancels it.',
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
          summary: 'Switch searches to the rebuilt index',
          description: 'Documents that it could not index then become FAILED.',
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
          summary: 'Cancel a rebuild; the current index stays in use',
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
  };
}
