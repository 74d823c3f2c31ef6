import { type Static, Type } from 'typebox';
import { NewChunkingSchema } from '../../../chunking/schemas.ts';
import { IdSchema, namedObject, nullable, pageOf, pageQuery } from '../../../http/schemas.ts';

export const RagChunkSchema = namedObject('RagChunk', {
  chunkId: Type.String(),
  text: Type.String(),
  start: Type.Integer({ description: 'In code points of the text that was read' }),
  end: Type.Integer(),
  page: nullable(Type.Integer({ description: 'The page on which the chunk starts; null if the format has none' })),
  pages: Type.Array(Type.Integer(), { description: 'All pages of which the chunk has text' }),
  headings: Type.Array(Type.String(), {
    description: 'Headings of the sections in which the chunk starts, outermost first',
  }),
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
      description: 'At most 100,000 after `start`, which is also the default',
    }),
  ),
});

export type TextQuery = Static<typeof TextQuery>;

export const RagTextSchema = namedObject('RagText', {
  text: Type.String(),
  start: Type.Integer({ description: 'In code points of the text that was read, like all offsets' }),
  end: Type.Integer(),
  length: Type.Integer({ description: 'Length of the whole text' }),
  pages: Type.Array(namedObject('RagPage', { page: Type.Integer(), start: Type.Integer(), end: Type.Integer() }), {
    description: 'Pages that this text covers',
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
  totalChunks: Type.Integer({ description: 'Total number; only the first 500 are returned' }),
});

export type ChunkingPreviewResult = Static<typeof ChunkingPreviewSchema>;
