import { callerGone } from '../../http/caller-gone.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import type { Evaluation } from './evaluation.ts';
import { EvaluateBody, EvaluationResultSchema } from './schemas/evaluations.ts';
import { KnowledgeBaseParams } from './schemas/knowledge-bases.ts';

const tags = ['Knowledge bases'];

/** Evaluation of search quality. */
export function evaluationRoutes({ evaluation }: { evaluation: Evaluation }): AreaRoutes {
  return (app) => {
    app.post(
      '/knowledge-bases/:knowledgeBaseId/evaluate',
      {
        bodyLimit: 1024 * 1024,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'evaluateKnowledgeBase',
          summary: 'Measure the retrieval quality of several settings',
          description:
            'Recall@k, mean reciprocal rank and nDCG@k with intervals. Questions are generated from chunks spread evenly over the knowledge base; the relevant chunk is the one that a question was generated from.',
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
