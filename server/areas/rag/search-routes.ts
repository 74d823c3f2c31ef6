import { callerGone } from '../../http/caller-gone.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import type { Search } from './search/search.ts';
import { idsBodyLimit } from './schemas/documents.ts';
import { KnowledgeBaseParams } from './schemas/knowledge-bases.ts';
import { SearchBody, SearchResultSchema } from './schemas/searches.ts';

const tags = ['Knowledge bases'];

/** Searches. */
export function searchRoutes({ search }: { search: Search }): AreaRoutes {
  return (app) => {
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
  };
}
