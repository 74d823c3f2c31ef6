import { type Static, Type } from 'typebox';
import { ChunkingSchema, NewChunkingSchema } from '../../../chunking/schemas.ts';
import {
  codeFields,
  IdSchema,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  sortQuery,
  TimestampSchema,
} from '../../../http/schemas.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

const switches = ['AUTOMATIC', 'MANUAL'] as const;

const RebuildSchema = namedObject('KnowledgeBaseRebuild', {
  embeddingModel: Type.String(),
  chunking: ChunkingSchema,
  switch: oneOf('RebuildSwitch', switches),
  status: oneOf('RebuildStatus', ['BUILDING', 'READY', 'FAILED'], {
    description: 'READY: complete and waiting for `POST …/rebuild/switch`; FAILED: repeat the same PUT to resume',
  }),
  documents: namedObject('RebuiltDocuments', {
    done: Type.Integer(),
    total: Type.Integer({ description: 'Documents that searches find in the current index' }),
    failed: Type.Integer({ description: '`GET …/documents?rebuild=FAILED` lists them with their causes' }),
  }),
  chunkCount: Type.Integer(),
  startedAt: TimestampSchema,
  cause: nullable(
    Type.String({ description: 'Why it failed, or why it is waiting although it should switch automatically' }),
  ),
  ...codeFields('cause'),
});

export const WeightsSchema = namedObject(
  'SearchWeights',
  { vector: Type.Number({ minimum: 0, maximum: 100 }), keyword: Type.Number({ minimum: 0, maximum: 100 }) },
  {
    description:
      'Weights of the two result lists in HYBRID; searches without them use the `hybridWeights` of their knowledge base',
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
      'BUILDING: either a new index is being built, and until the switch everything else refers to the current one; or chunks missing from the current one are being added, and searches return 503 until that is done',
  }),
  rebuild: Type.Union([RebuildSchema, Type.Null()], {
    description: 'The index that is being built with other settings',
  }),
  documentCount: Type.Integer(),
  chunkCount: Type.Integer({ description: 'Chunks that searches find' }),
  documentsByStatus: recordOf(Type.Integer()),
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
        'When searches switch to the index with the changed model or chunking: as soon as it is complete (default), or on request',
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
