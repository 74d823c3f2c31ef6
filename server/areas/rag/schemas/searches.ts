import { type Static, Type } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf, TimestampSchema } from '../../../http/schemas.ts';
import { RagChunkSchema } from './chunks.ts';
import { WeightsSchema } from './knowledge-bases.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

const modes = ['HYBRID', 'VECTOR', 'KEYWORD'] as const;

export const ids = Type.Array(IdSchema, { minItems: 1, maxItems: 1000 });

export const FilterSchema = namedObject('RagFilter', {
  documentIds: Type.Optional(ids),
  datasetIds: Type.Optional(ids),
  fileTypes: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { minItems: 1, maxItems: 100 })),
  tags: Type.Optional(
    Type.Array(Type.String({ maxLength: 50 }), {
      minItems: 1,
      maxItems: 50,
      description: 'Documents with any of these',
    }),
  ),
  metadata: Type.Optional(
    recordOf(Type.String({ maxLength: 1000 }), {
      maxProperties: 50,
      description: 'Documents with all of these',
    }),
  ),
  createdAfter: Type.Optional(TimestampSchema),
  createdBefore: Type.Optional(TimestampSchema),
});

export const SearchBody = namedObject('RagSearch', {
  query: Type.String({ minLength: 1, maxLength: 4000 }),
  topK: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 10 })),
  mode: Type.Optional(oneOf('SearchMode', modes, { description: 'Default: HYBRID' })),
  filter: Type.Optional(FilterSchema),
  minScore: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Excludes hits with a lower `score`. VECTOR: the cosine similarity, 0 if it is negative. KEYWORD: b / (b + 5) of the BM25 score b. ' +
        'HYBRID: (w₁ · 61 / (60 + rank by vector) + w₂ · 61 / (60 + rank by keyword)) / (w₁ + w₂), ranks from 1; a list without the hit adds nothing. ' +
        'With `rerank`: the score of that model',
    }),
  ),
  weights: Type.Optional(WeightsSchema),
  rerank: Type.Optional(
    namedObject('SearchRerank', {
      model: Type.String({ minLength: 1, maxLength: 200, description: 'Id of a model of the kind RERANKER' }),
      candidates: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 200,
          description: 'Number of hits to rerank, at least `topK`; default 50',
        }),
      ),
    }),
  ),
  expand: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10, description: 'Neighbouring chunks on each side of a hit' }),
  ),
});

export type SearchRequest = Static<typeof SearchBody>;

const HitSchema = namedObject('RagHit', {
  chunkId: Type.String(),
  documentId: IdSchema,
  documentName: Type.String(),
  text: Type.String(),
  score: Type.Number({ description: '0 to 1; computed as described at `minScore`' }),
  scores: namedObject('RagHitScores', {
    vector: nullable(
      Type.Number({ description: 'Cosine similarity; null if the hit is not among the nearest vectors' }),
    ),
    keyword: nullable(Type.Number({ description: 'BM25 score; null if the hit is not among the keyword matches' })),
    rerank: nullable(Type.Number({ description: 'Score of the reranking model, 0 to 1; null without reranking' })),
  }),
  ranks: namedObject('RagHitRanks', {
    vector: nullable(Type.Integer({ description: 'Rank among the nearest vectors, from 1' })),
    keyword: nullable(Type.Integer({ description: 'Rank among the keyword matches, from 1' })),
  }),
  page: nullable(
    Type.Integer({
      description:
        'The page with most of the query words that the hit contains; without any, the one on which it starts',
    }),
  ),
  pages: Type.Array(Type.Integer(), { description: 'All pages of which the hit has text' }),
  start: Type.Integer(),
  end: Type.Integer(),
  headings: Type.Array(Type.String()),
  highlights: Type.Array(namedObject('Highlight', { start: Type.Integer(), end: Type.Integer() }), {
    description: 'Positions of query words, in code points of `text`',
  }),
  neighbours: Type.Optional(Type.Array(RagChunkSchema)),
});

export type RagHit = Static<typeof HitSchema>;

export const behindField = Type.Integer({
  description:
    'Number of documents that other nodes already find but this one does not, because it could not index them within 2 s; 0 if all are found',
});

export const SearchResultSchema = namedObject('RagSearchResult', {
  hits: Type.Array(HitSchema),
  tookMs: Type.Number(),
  behind: behindField,
});

export type SearchResult = Static<typeof SearchResultSchema>;

export const TogetherBody = namedObject('RagSearchTogether', {
  knowledgeBaseIds: Type.Array(IdSchema, { minItems: 1, maxItems: 50 }),
  ...SearchBody.properties,
});

export type TogetherRequest = Static<typeof TogetherBody>;

const TogetherHitSchema = namedObject('RagHitOfBase', { knowledgeBaseId: IdSchema, ...HitSchema.properties });

export type TogetherHit = Static<typeof TogetherHitSchema>;

export const TogetherResultSchema = namedObject('RagSearchTogetherResult', {
  hits: Type.Array(TogetherHitSchema),
  tookMs: Type.Number(),
  behind: behindField,
});

export type TogetherResult = Static<typeof TogetherResultSchema>;
