import { type Static, Type } from 'typebox';
import { namedObject, oneOf } from '../../../http/schemas.ts';
import { ids, SearchBody } from './searches.ts';

const EvaluatedSettingsSchema = namedObject('EvaluatedSettings', {
  index: Type.Optional(
    oneOf('EvaluatedIndex', ['CURRENT', 'NEXT'], {
      description: 'NEXT: the rebuilt index, which must be READY; default CURRENT',
    }),
  ),
  mode: SearchBody.properties.mode,
  topK: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'The k of the metrics; default 10' })),
  weights: SearchBody.properties.weights,
  minScore: SearchBody.properties.minScore,
  rerank: SearchBody.properties.rerank,
});

export const EvaluateBody = namedObject('RagEvaluation', {
  questions: Type.Optional(
    Type.Array(
      namedObject('RagEvaluationQuestion', {
        question: Type.String({ minLength: 1, maxLength: 4000 }),
        documentIds: Type.Optional(ids),
        chunkIds: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { minItems: 1, maxItems: 1000 })),
      }),
      { minItems: 1, maxItems: 200 },
    ),
  ),
  generate: Type.Optional(
    namedObject('GeneratedQuestions', {
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50' })),
      model: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'A model of the kind CHAT; default builtin:cloze' }),
      ),
    }),
  ),
  settings: Type.Array(EvaluatedSettingsSchema, { minItems: 1, maxItems: 10 }),
});

export type EvaluateRequest = Static<typeof EvaluateBody>;

const share = Type.Number({ description: 'Mean over the questions, 0 to 1' });

const interval = Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: '95 % interval by bootstrap' });

export const EvaluationResultSchema = namedObject('RagEvaluationResult', {
  questions: Type.Integer(),
  chunksWithoutQuestion: Type.Integer({ description: 'Sampled chunks for which the model generated no question' }),
  behind: Type.Integer({ description: 'As in a search: the highest number among these searches' }),
  results: Type.Array(
    namedObject('EvaluatedSearch', {
      settings: EvaluatedSettingsSchema,
      recall: share,
      mrr: share,
      ndcg: share,
      intervals: namedObject('EvaluatedIntervals', { recall: interval, mrr: interval, ndcg: interval }),
    }),
  ),
});

export type EvaluationResult = Static<typeof EvaluationResultSchema>;
