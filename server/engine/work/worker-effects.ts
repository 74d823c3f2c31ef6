import type { MessagePort } from 'node:worker_threads';
import type { ModelQuestion, ModelReply, OperatorEffects } from '../../operators/index.ts';
import type { ModelAnswerMessage, ModelAskMessage } from '../orders/worker-protocol.ts';

/** Questions of a worker that are under way; others wait in the worker. */
const maxUnderWay = 64;

type Asking = { resolve: (reply: ModelReply) => void; reject: (error: Error) => void };

/**
 * What each step of this worker may be handed. Calls of models, whose keys must not come into a thread that runs operators,
 * are made by the main thread: it is asked, and answers with a reply or the reason why there is none.
 */
export function createEffects(port: MessagePort): (step: number) => OperatorEffects {
  const open = new Map<number, Asking>();
  const waiting: (() => void)[] = [];
  let nextId = 0;
  let underWay = 0;

  port.on('message', ({ id, ...answer }: ModelAnswerMessage) => {
    const asking = open.get(id);
    if (asking === undefined) return;
    open.delete(id);
    if ('problem' in answer) asking.reject(new Error(answer.problem));
    else asking.resolve(answer.reply);
  });

  async function place(): Promise<void> {
    if (underWay < maxUnderWay) underWay += 1;
    // Whoever ends hands over its place.
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) underWay -= 1;
    else next();
  }

  async function ask(step: number, question: ModelQuestion, signal: AbortSignal | undefined): Promise<ModelReply> {
    await place();
    let stop: (() => void) | undefined;
    try {
      signal?.throwIfAborted();
      const id = nextId++;
      return await new Promise<ModelReply>((resolve, reject) => {
        open.set(id, { resolve, reject });
        stop = () => {
          open.delete(id);
          port.postMessage({ id, stop: true } satisfies ModelAskMessage);
          reject(new Error('The batch was given up'));
        };
        signal?.addEventListener('abort', stop, { once: true });
        port.postMessage({ id, step, question } satisfies ModelAskMessage);
      });
    } finally {
      if (stop !== undefined) signal?.removeEventListener('abort', stop);
      leave();
    }
  }

  return (step) => ({ models: { ask: (question, signal) => ask(step, question, signal) } });
}
