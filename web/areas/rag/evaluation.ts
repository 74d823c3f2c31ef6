import { api, dataOf } from '../../api/client.ts';
import type { EvaluatedSettings, RagEvaluation, RagEvaluationResult } from '../../api/schema.ts';

export type { EvaluatedSettings };
export type EvaluationResult = RagEvaluationResult;

/** Limits of one evaluation. */
export const mostQuestions = 200;
export const mostSettings = 10;

export async function evaluate(knowledgeBaseId: string, body: RagEvaluation): Promise<EvaluationResult> {
  const { data } = await dataOf(
    api.POST('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/evaluate', {
      params: { path: { knowledgeBaseId } },
      body,
    }),
  );
  return data;
}

/** The initial comparison: the three search modes, or both indexes if there are two. */
export function firstSettings(hasNext: boolean): EvaluatedSettings[] {
  return hasNext
    ? [
        { mode: 'HYBRID', topK: 10, index: 'CURRENT' },
        { mode: 'HYBRID', topK: 10, index: 'NEXT' },
      ]
    : [
        { mode: 'HYBRID', topK: 10 },
        { mode: 'VECTOR', topK: 10 },
        { mode: 'KEYWORD', topK: 10 },
      ];
}
