import { parentPort, type Transferable } from 'node:worker_threads';
import { isRequestMessage, type AnswerMessage, type RequestMessage } from './thread-messages.ts';

/**
 * Answers requests to this thread, started by `startThread` or `createAskedThread`, as they arrive, without waiting for earlier
 * ones. An error of `answer` rejects the request with the same name, message and stack; if no answer is expected, it ends the thread.
 * @param answer takes a request, whose type both sides know
 * @param handedOver returns the objects to transfer with an answer
 */
export function answerRequests<Answer>(
  answer: (request: never) => Answer | Promise<Answer>,
  handedOver: (answer: Answer) => Transferable[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error('This module runs in a worker thread');

  async function reply({ asks, request }: RequestMessage<never>): Promise<void> {
    if (asks === 0) {
      await answer(request);
      return;
    }
    let answered: Answer;
    try {
      answered = await answer(request);
    } catch (error) {
      const problem = error instanceof Error ? error : new Error(String(error));
      port?.postMessage({ answers: asks, problem } satisfies AnswerMessage<Answer>);
      return;
    }
    port?.postMessage({ answers: asks, answer: answered } satisfies AnswerMessage<Answer>, handedOver(answered));
  }

  port.on('message', (message: unknown) => {
    if (isRequestMessage<never>(message)) void reply(message);
  });
}
