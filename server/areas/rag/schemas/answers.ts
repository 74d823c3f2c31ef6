import { type Static, Type } from 'typebox';
import { IdSchema, namedObject, nullable } from '../../../http/schemas.ts';
import { behindField, FilterSchema } from './searches.ts';

export const AnswerBody = namedObject('RagQuestion', {
  query: Type.String({ minLength: 1, maxLength: 4000 }),
  model: Type.String({ minLength: 1, maxLength: 200, description: 'Id of a model of the kind CHAT' }),
  topK: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 50, description: 'Number of chunks passed to the model; default 5' }),
  ),
  filter: Type.Optional(FilterSchema),
  stream: Type.Optional(Type.Boolean({ description: 'Streams the answer as server-sent events' })),
});

export type AnswerRequest = Static<typeof AnswerBody>;

const CitationSchema = namedObject('Citation', {
  number: Type.Integer({ description: 'Number used in brackets in the answer' }),
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
    description: 'Whether the model stopped at its token limit in the middle of the answer',
  }),
  citations: Type.Array(CitationSchema),
  behind: behindField,
});

export type AnswerResult = Static<typeof AnswerSchema>;

export const AnswerEventsSchema = Type.Unsafe<string>({
  type: 'string',
  description:
    'With `stream`: events `delta` with `{text}`, which add up to the answer, then `done` with the response as without `stream` but without the envelope, or `error` with ' +
    'an error body. Errors before the model is called are returned with their HTTP status.',
});
