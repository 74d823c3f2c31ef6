import { type Static, Type } from 'typebox';
import { IdSchema, namedObject, nullable } from '../../../http/schemas.ts';
import { behindField, FilterSchema } from './searches.ts';

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
