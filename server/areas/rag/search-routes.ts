import { callerGone } from '../../http/caller-gone.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import type { SearchTogether } from './search/search-together.ts';
import type { Search } from './search/search.ts';
import { idsBodyLimit } from './schemas/documents.ts';
import { KnowledgeBaseParams } from './schemas/knowledge-bases.ts';
import { SearchBody, SearchResultSchema, TogetherBody, TogetherResultSchema } from './schemas/searches.ts';

const tags = ['Knowledge bases'];

/** Searches. */
export function searchRoutes({
  search,
  searchTogether,
}: {
  search: Search;
  searchTogether: SearchTogether;
}): AreaRoutes {
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

    app.post(
      '/search',
      {
        bodyLimit: idsBodyLimit,
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'searchKnowledgeBases',
          summary: 'Search several knowledge bases as one',
          description:
            'As a search of each with the best hits of all. HYBRID ranks the hits of all bases together; similarities of different embedding models are ranked apart.',
          tags,
          body: TogetherBody,
          response: { 200: TogetherResultSchema },
        },
      },
      (request, reply) => searchTogether.search(request.body, callerGone(reply)),
    );
  };
}
