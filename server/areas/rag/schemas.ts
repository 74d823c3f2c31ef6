import { Type, type Static } from 'typebox';
import { ChunkingSchema, NewChunkingSchema } from '../../chunking/schemas.ts';
import {
  codeFields,
  DocumentReceiptSchema,
  IdSchema,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  sentencesOf,
  sortQuery,
  TimestampSchema,
} from '../../http/schemas.ts';

export const documentStatuses = ['PENDING', 'PROCESSING', 'COMPLETED', 'PARTIAL', 'FAILED'] as const;
const rebuildStatuses = ['PENDING', 'COMPLETED', 'FAILED'] as const;
const modes = ['HYBRID', 'VECTOR', 'KEYWORD'] as const;

const switches = ['AUTOMATIC', 'MANUAL'] as const;
const RebuildSchema = namedObject('KnowledgeBaseRebuild', {
  embeddingModel: Type.String(),
  chunking: ChunkingSchema,
  switch: oneOf('RebuildSwitch', switches),
  status: oneOf('RebuildStatus', ['BUILDING', 'READY', 'FAILED'], {
    description: 'READY: complete, and waits for `POST …/rebuild/switch`; FAILED: the same PUT again goes on',
  }),
  documents: namedObject('RebuiltDocuments', {
    done: Type.Integer(),
    total: Type.Integer({ description: 'Documents that searches find in the index in use' }),
    failed: Type.Integer({ description: '`GET …/documents?rebuild=FAILED` names them with their causes' }),
  }),
  chunkCount: Type.Integer(),
  startedAt: TimestampSchema,
  cause: nullable(Type.String({ description: 'Why it failed, or waits although it should switch by itself' })),
  ...codeFields('cause'),
});

const WeightsSchema = namedObject(
  'SearchWeights',
  { vector: Type.Number({ minimum: 0, maximum: 100 }), keyword: Type.Number({ minimum: 0, maximum: 100 }) },
  {
    description: 'Of the two lists in HYBRID; searches that name none have the `hybridWeights` of their knowledge base',
  },
);

export const KnowledgeBaseSchema = namedObject('KnowledgeBase', {
  id: IdSchema,
  name: Type.String(),
  description: Type.String(),
  embeddingModel: Type.String(),
  chunking: ChunkingSchema,
  status: oneOf('KnowledgeBaseStatus', ['READY', 'BUILDING'], {
    description:
      'BUILDING: another index is made, and until it is used everything else is about the index in use; or chunks missing in that one are added, and searches answer 503 until all are back',
  }),
  rebuild: Type.Union([RebuildSchema, Type.Null()], { description: 'The index that is made with other settings' }),
  documentCount: Type.Integer(),
  chunkCount: Type.Integer({ description: 'Chunks that searches find' }),
  documentsByStatus: Type.Record(Type.String(), Type.Integer()),
  hybridWeights: WeightsSchema,
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  updatedAt: TimestampSchema,
});
export type KnowledgeBaseView = Static<typeof KnowledgeBaseSchema>;
export const KnowledgeBasePageSchema = pageOf(KnowledgeBaseSchema);

const name = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' });
const description = Type.String({ maxLength: 500 });
const embeddingModel = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Id of a model of the kind EMBEDDING; default builtin:hash-512',
});
export const NewKnowledgeBaseBody = namedObject('NewKnowledgeBase', {
  name,
  description: Type.Optional(description),
  embeddingModel: Type.Optional(embeddingModel),
  chunking: Type.Optional(NewChunkingSchema),
});
export type NewKnowledgeBase = Static<typeof NewKnowledgeBaseBody>;
export const KnowledgeBaseChangesBody = namedObject('KnowledgeBaseChanges', {
  name: Type.Optional(name),
  description: Type.Optional(description),
  embeddingModel: Type.Optional(embeddingModel),
  chunking: Type.Optional(NewChunkingSchema),
  switch: Type.Optional(
    oneOf('RebuildSwitch', switches, {
      description:
        'When searches ask the index with the changed model or chunking: as soon as it is complete (default), or when told',
    }),
  ),
});
export type KnowledgeBaseChanges = Static<typeof KnowledgeBaseChangesBody>;

export const KnowledgeBasesQuery = Type.Object({
  ...pageQuery,
  keyword: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name or description' })),
  sort: sortQuery('KnowledgeBaseSort', ['name', 'createdAt']),
});
export type KnowledgeBasesQuery = Static<typeof KnowledgeBasesQuery>;

export const KnowledgeBaseParams = Type.Object({ knowledgeBaseId: IdSchema });
export const DocumentParams = Type.Object({ knowledgeBaseId: IdSchema, documentId: IdSchema });

const ReceiptSchema = namedObject('RagReceipt', {
  pageKind: DocumentReceiptSchema.properties.pageKind,
  pagesIn: nullable(Type.Integer({ description: 'Pages, slides or sheets; null for formats without' })),
  pagesOut: nullable(Type.Integer()),
  characters: Type.Integer(),
  tables: Type.Integer(),
  chunks: Type.Integer(),
  warnings: Type.Array(Type.String()),
  warningSentences: sentencesOf('warnings'),
  cause: nullable(Type.String()),
});

const tags = Type.Array(Type.String({ minLength: 1, maxLength: 50 }), { maxItems: 50 });
/** A body with a thousand ids of documents beside a query. */
export const idsBodyLimit = 256 * 1024;

const metadata = Type.Record(Type.String({ minLength: 1, maxLength: 100 }), Type.String({ maxLength: 1000 }), {
  maxProperties: 50,
});

export const RagDocumentSchema = namedObject('RagDocument', {
  id: IdSchema,
  name: Type.String(),
  fileType: Type.String(),
  fileSize: Type.Integer(),
  status: oneOf('RagDocumentStatus', documentStatuses),
  cause: nullable(Type.String({ description: 'Why it failed' })),
  ...codeFields('cause'),
  receipt: Type.Union([ReceiptSchema, Type.Null()], { description: 'Null until the document has ended' }),
  chunkCount: Type.Integer(),
  rebuild: Type.Union(
    [
      namedObject('RagDocumentRebuild', {
        status: oneOf('RagDocumentRebuildStatus', rebuildStatuses),
        chunkCount: Type.Integer(),
        cause: nullable(Type.String()),
        ...codeFields('cause'),
      }),
      Type.Null(),
    ],
    { description: 'The document in the index that a rebuild makes; null without one' },
  ),
  sameContentAs: Type.Union([namedObject('RagSameContent', { id: IdSchema, name: Type.String() }), Type.Null()], {
    description: 'The earliest document of the knowledge base with the same bytes, if there is one before it',
  }),
  datasetId: nullable(Type.String()),
  fileId: nullable(Type.String()),
  datasetVersion: nullable(Type.Integer()),
  tags: Type.Array(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  finishedAt: nullable(TimestampSchema),
});
export type RagDocumentView = Static<typeof RagDocumentSchema>;
export const RagDocumentPageSchema = pageOf(RagDocumentSchema);

export const documentSortFields = ['name', 'fileSize', 'status', 'chunkCount', 'createdAt'] as const;

export const RagDocumentsQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf('RagDocumentStatus', documentStatuses)),
  keyword: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name' })),
  rebuild: Type.Optional(
    oneOf('RagDocumentRebuildStatus', rebuildStatuses, { description: 'State in the index that a rebuild makes' }),
  ),
  sort: sortQuery('RagDocumentSort', documentSortFields),
});
export type RagDocumentsQuery = Static<typeof RagDocumentsQuery>;

/** The JSON form: files of a dataset. */
export const DocumentsOfDatasetBody = namedObject('RagDocumentsOfDataset', {
  datasetId: IdSchema,
  fileIds: Type.Optional(Type.Array(IdSchema, { minItems: 1, maxItems: 1000, description: 'Default: all files' })),
  version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Default: the current one' }),
  ),
  tags: Type.Optional(tags),
  metadata: Type.Optional(metadata),
});
export type DocumentsOfDataset = Static<typeof DocumentsOfDatasetBody>;

export const DocumentsDeletionBody = namedObject('RagDocumentsDeletion', {
  documentIds: Type.Array(IdSchema, { minItems: 1, maxItems: 1000 }),
});
export const DocumentsDeletionResultSchema = namedObject('RagDocumentsDeletionResult', {
  deleted: Type.Integer({ description: 'Deleted documents' }),
  notFound: Type.Array(IdSchema, { description: 'IDs without a document in the knowledge base' }),
});
export type DocumentsDeletionResult = Static<typeof DocumentsDeletionResultSchema>;

export const RagLimitsSchema = namedObject('RagLimits', {
  documents: Type.Integer({ description: 'Documents of one knowledge base' }),
  documentBytes: Type.Integer({ description: 'Bytes of one document' }),
  documentCharacters: Type.Integer({ description: 'Characters of the text of one document' }),
});
export type RagLimits = Static<typeof RagLimitsSchema>;

/** The multipart form: files from the caller. */
export const DocumentFilesForm = namedObject('RagDocumentFiles', {
  tags: Type.Optional(Type.String({ description: 'JSON: list of texts; before the files that get them' })),
  metadata: Type.Optional(Type.String({ description: 'JSON: object of texts; before the files that get it' })),
  files: Type.Array(Type.Unsafe<string>({ type: 'string', format: 'binary' })),
});
export const DocumentFieldsSchema = Type.Object({ tags: Type.Optional(tags), metadata: Type.Optional(metadata) });

export const RagChunkSchema = namedObject('RagChunk', {
  chunkId: Type.String(),
  text: Type.String(),
  start: Type.Integer({ description: 'In code points of the text that was read' }),
  end: Type.Integer(),
  page: nullable(Type.Integer()),
  headings: Type.Array(Type.String(), { description: 'Of the sections in which the chunk starts, outermost first' }),
});
export type RagChunkView = Static<typeof RagChunkSchema>;
export const RagChunkPageSchema = pageOf(RagChunkSchema);
export const ChunksQuery = Type.Object(pageQuery);
export type ChunksQuery = Static<typeof ChunksQuery>;

export const TextQuery = Type.Object({
  start: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Default 0' })),
  end: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'At most 100,000 after `start`, which is the default',
    }),
  ),
});
export type TextQuery = Static<typeof TextQuery>;
export const RagTextSchema = namedObject('RagText', {
  text: Type.String(),
  start: Type.Integer({ description: 'In code points of the text that was read, as all offsets' }),
  end: Type.Integer(),
  length: Type.Integer({ description: 'Of the whole text' }),
  pages: Type.Array(namedObject('RagPage', { page: Type.Integer(), start: Type.Integer(), end: Type.Integer() }), {
    description: 'Pages of which this text has a part',
  }),
});
export type RagTextView = Static<typeof RagTextSchema>;

export const ChunkingPreviewBody = namedObject('ChunkingPreview', {
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 200_000 })),
  documentId: Type.Optional(IdSchema),
  chunking: NewChunkingSchema,
});
export type ChunkingPreview = Static<typeof ChunkingPreviewBody>;
const PreviewedChunkSchema = namedObject('PreviewedChunk', {
  text: Type.String(),
  start: Type.Integer(),
  end: Type.Integer(),
  page: nullable(Type.Integer()),
  headings: Type.Array(Type.String()),
});
export const ChunkingPreviewSchema = namedObject('ChunkingPreviewResult', {
  chunks: Type.Array(PreviewedChunkSchema),
  totalChunks: Type.Integer({ description: 'The answer has the first 500 of them' }),
});
export type ChunkingPreviewResult = Static<typeof ChunkingPreviewSchema>;

const ids = Type.Array(IdSchema, { minItems: 1, maxItems: 1000 });
const FilterSchema = namedObject('RagFilter', {
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
    Type.Record(Type.String(), Type.String({ maxLength: 1000 }), {
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
        'Leaves out hits with a lower `score`. VECTOR: the cosine similarity, 0 if it is negative. KEYWORD: b / (b + 5) of the BM25 score b. ' +
        'HYBRID: (w₁ · 61 / (60 + rank by vector) + w₂ · 61 / (60 + rank by keyword)) / (w₁ + w₂), ranks from 1; a list without the hit adds nothing. ' +
        'With `rerank`: the score of that model',
    }),
  ),
  weights: Type.Optional(WeightsSchema),
  rerank: Type.Optional(
    namedObject('SearchRerank', {
      model: Type.String({ minLength: 1, maxLength: 200, description: 'Id of a model of the kind RERANKER' }),
      candidates: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 200, description: 'Hits that it reads, at least `topK`; default 50' }),
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
  score: Type.Number({ description: '0 to 1; how it is made stands at `minScore`' }),
  scores: namedObject('RagHitScores', {
    vector: nullable(Type.Number({ description: 'Cosine similarity; null if the hit is not among the nearest' })),
    keyword: nullable(Type.Number({ description: 'BM25; null if the hit is not among those with the words' })),
    rerank: nullable(
      Type.Number({ description: 'Of the model that ranked the hits, from 0 to 1; null if none was asked' }),
    ),
  }),
  ranks: namedObject('RagHitRanks', {
    vector: nullable(Type.Integer({ description: 'Place among the nearest, from 1' })),
    keyword: nullable(Type.Integer({ description: 'Place among those with the words, from 1' })),
  }),
  page: nullable(Type.Integer()),
  start: Type.Integer(),
  end: Type.Integer(),
  headings: Type.Array(Type.String()),
  highlights: Type.Array(namedObject('Highlight', { start: Type.Integer(), end: Type.Integer() }), {
    description: 'Words of the query, in code points of `text`',
  }),
  neighbours: Type.Optional(Type.Array(RagChunkSchema)),
});
export type RagHit = Static<typeof HitSchema>;
const behindField = Type.Integer({
  description:
    'Documents that this node does not find yet, although others do: it could not index them within 2 s. 0 where all are found',
});
export const SearchResultSchema = namedObject('RagSearchResult', {
  hits: Type.Array(HitSchema),
  tookMs: Type.Number(),
  behind: behindField,
});
export type SearchResult = Static<typeof SearchResultSchema>;

export const AnswerBody = namedObject('RagQuestion', {
  query: Type.String({ minLength: 1, maxLength: 4000 }),
  model: Type.String({ minLength: 1, maxLength: 200, description: 'Id of a model of the kind CHAT' }),
  topK: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Chunks that the model gets; default 5' })),
  filter: Type.Optional(FilterSchema),
  stream: Type.Optional(Type.Boolean({ description: 'Answers with server-sent events while the model writes' })),
});
export type AnswerRequest = Static<typeof AnswerBody>;
const CitationSchema = namedObject('Citation', {
  number: Type.Integer({ description: 'Stands in brackets in the answer' }),
  chunkId: Type.String(),
  documentId: IdSchema,
  documentName: Type.String(),
  page: nullable(Type.Integer()),
  start: Type.Integer(),
  end: Type.Integer(),
});
export const AnswerSchema = namedObject('RagAnswer', {
  answer: nullable(Type.String({ description: 'Null when nothing relevant was found' })),
  truncated: Type.Boolean({
    description: 'Whether the model stopped at its limit of tokens, in the middle of the answer',
  }),
  citations: Type.Array(CitationSchema),
  behind: behindField,
});
export type AnswerResult = Static<typeof AnswerSchema>;
export const AnswerEventsSchema = Type.Unsafe<string>({
  type: 'string',
  description:
    'With `stream`: events `delta` with `{text}`, which add up to the answer, then `done` with the answer as without `stream` but for the envelope, or `error` with ' +
    'the body of an error. What is wrong before the model is called is answered with its status.',
});

const EvaluatedSettingsSchema = namedObject('EvaluatedSettings', {
  index: Type.Optional(
    oneOf('EvaluatedIndex', ['CURRENT', 'NEXT'], {
      description: 'NEXT: the index that a rebuild makes, which must be READY; default CURRENT',
    }),
  ),
  mode: SearchBody.properties.mode,
  topK: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'The k of the figures; default 10' })),
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
  chunksWithoutQuestion: Type.Integer({ description: 'Drawn chunks of which the model made no question' }),
  behind: Type.Integer({ description: 'As of a search: the most that one of these searches did not find' }),
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
