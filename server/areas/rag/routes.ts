// Made from the files of this folder by `npm run docs`; do not edit.
import type { AreaRoutes } from '../../http/routes.ts';
import { answerRoutes } from './answer-routes.ts';
import { chunkingRoutes } from './chunking-routes.ts';
import { documentContentRoutes } from './document-content-routes.ts';
import { documentRoutes } from './document-routes.ts';
import { evaluationRoutes } from './evaluation-routes.ts';
import { knowledgeBaseRoutes } from './knowledge-base-routes.ts';
import { searchRoutes } from './search-routes.ts';

export type RagNouns = Parameters<typeof answerRoutes>[0] &
  Parameters<typeof chunkingRoutes>[0] &
  Parameters<typeof documentContentRoutes>[0] &
  Parameters<typeof documentRoutes>[0] &
  Parameters<typeof evaluationRoutes>[0] &
  Parameters<typeof knowledgeBaseRoutes>[0] &
  Parameters<typeof searchRoutes>[0];

/** Routes under `/rag`. */
export function ragRoutes(nouns: RagNouns): AreaRoutes {
  return async (app) => {
    await documentRoutes(nouns)(app);
    await documentContentRoutes(nouns)(app);
    await knowledgeBaseRoutes(nouns)(app);
    await chunkingRoutes(nouns)(app);
    await searchRoutes(nouns)(app);
    await answerRoutes(nouns)(app);
    await evaluationRoutes(nouns)(app);
  };
}
