import type { AreaRoutes } from '../../http/routes.ts';
import { answerRoutes } from './answer-routes.ts';
import type { Answers } from './answers.ts';
import type { ChunkingPreviews } from './chunking-preview.ts';
import { chunkingRoutes } from './chunking-routes.ts';
import { documentRoutes, type DocumentNouns } from './document-routes.ts';
import { evaluationRoutes } from './evaluation-routes.ts';
import type { Evaluation } from './evaluation.ts';
import { knowledgeBaseRoutes } from './knowledge-base-routes.ts';
import type { KnowledgeBases } from './knowledge-bases.ts';
import type { Rebuilds } from './rebuilds.ts';
import { searchRoutes } from './search-routes.ts';
import type { Search } from './search/search.ts';

export type RagNouns = DocumentNouns & {
  knowledgeBases: KnowledgeBases;
  rebuilds: Pick<Rebuilds, 'switchNow' | 'giveUp'>;
  search: Search;
  previews: ChunkingPreviews;
  answers: Answers;
  evaluation: Evaluation;
};

/** Routes under `/rag`. */
export function ragRoutes(nouns: RagNouns): AreaRoutes {
  return async (app) => {
    await documentRoutes(nouns)(app);
    await knowledgeBaseRoutes(nouns)(app);
    await chunkingRoutes(nouns)(app);
    await searchRoutes(nouns)(app);
    await answerRoutes(nouns)(app);
    await evaluationRoutes(nouns)(app);
  };
}
