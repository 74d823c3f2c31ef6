// Messages between a thread and its starter. They share the port with others: `node --watch` reports imports through it.

/** A request; `asks` is its number, or 0 if no answer is expected. */
export type RequestMessage<Request> = { asks: number; request: Request };

/** The answer to a request, or the error of the code that answers. */
export type AnswerMessage<Answer> = { answers: number; answer: Answer } | { answers: number; problem: Error };

export function isRequestMessage<Request>(message: unknown): message is RequestMessage<Request> {
  return typeof message === 'object' && message !== null && 'asks' in message;
}

export function isAnswerMessage<Answer>(message: unknown): message is AnswerMessage<Answer> {
  return typeof message === 'object' && message !== null && 'answers' in message;
}
