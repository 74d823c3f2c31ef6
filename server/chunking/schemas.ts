import { Type, type Static } from 'typebox';
import { namedObject, oneOf } from '../http/schemas.ts';

const strategies = ['RECURSIVE', 'FIXED', 'SENTENCE', 'MARKDOWN', 'PARAGRAPH', 'CUSTOM_SEPARATOR'] as const;
const units = ['CHARACTERS', 'TOKENS'] as const;

export const ChunkingSchema = namedObject('Chunking', {
  strategy: oneOf('ChunkingStrategy', strategies, {
    description:
      'RECURSIVE: as much as fits, cut between blocks, lines, sentences, words; MARKDOWN: the same within each section; PARAGRAPH: one each; ' +
      'SENTENCE: whole sentences; FIXED: windows of equal size; CUSTOM_SEPARATOR: at `separators`',
  }),
  size: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: 'Largest chunk; tables and blocks of code may be up to four times as large',
  }),
  overlap: Type.Integer({ minimum: 0, maximum: 99_999, description: 'What a chunk repeats of the one before' }),
  unit: oneOf('ChunkingUnit', units, { description: 'Code points, or tokens of o200k_base' }),
  separators: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 20 })),
});

export const NewChunkingSchema = namedObject('NewChunking', {
  strategy: Type.Optional(ChunkingSchema.properties.strategy),
  size: Type.Optional(ChunkingSchema.properties.size),
  overlap: Type.Optional(ChunkingSchema.properties.overlap),
  unit: Type.Optional(ChunkingSchema.properties.unit),
  separators: ChunkingSchema.properties.separators,
});
export type NewChunking = Static<typeof NewChunkingSchema>;
