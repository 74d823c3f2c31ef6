import { callerGone } from '../../http/caller-gone.ts';
import { envelopeSchema } from '../../http/envelope.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import type { Answers } from './answers.ts';
import { AnswerBody, AnswerEventsSchema, AnswerSchema } from './schemas/answers.ts';
import { idsBodyLimit } from './schemas/documents.ts';
import { KnowledgeBaseParams } from './schemas/knowledge-bases.ts';

const tags = ['Knowledge bases'];

/** Answers from documents. */
export function answerRoutes({ answers }: { answers: Answers }): AreaRoutes {
  return (app) => {
    app.post(
      '/knowledge-bases/:knowledgeBaseId/answer',
      {
        bodyLimit: idsBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'answerFromKnowledgeBase',
          summary: 'Answer a question from the documents, with citations',
          description:
            'The chunks found are passed to the model as data between tags. If nothing relevant was found, no model is called and `answer` is null; a chunk is relevant if it contains a word of the query or has a cosine similarity of at least 0.25.',
          tags,
          params: KnowledgeBaseParams,
          body: AnswerBody,
          response: {
            200: {
              description: 'The answer, or the events that lead to it',
              content: {
                'application/json': { schema: envelopeSchema(AnswerSchema) },
                'text/event-stream': { schema: AnswerEventsSchema },
              },
            },
          },
        },
      },
      async (request, reply) => {
        const { knowledgeBaseId } = request.params;
        const gone = callerGone(reply);
        if (request.body.stream !== true) return answers.answer(knowledgeBaseId, request.body, gone);
        const feed = await answers.stream(knowledgeBaseId, request.body, gone);
        return request.server.eventStreams.open(request, reply, feed);
      },
    );
  };
}
