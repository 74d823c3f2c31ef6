import type { MessagePort } from 'node:worker_threads';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import type { ModelQuestion, ModelReply, OperatorEffects } from '../../operators/index.ts';
import type { ModelAnswerMessage, ModelAskMessage } from '../orders/worker-protocol.ts';

/** Maximum number of concurrent questions of a worker; others wait in the worker. */
const maxUnderWay = 64;

type Asking = { resolve: (reply: ModelReply) => void; reject: (error: Error) => void };

/**
 * Effects of each step of this worker. The main thread calls the models, because their keys must not enter a thread
 * that runs operators; it answers with a reply or with the reason why there is none.
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
    if ('problem' in answer) asking.reject(new ReasonedError(answer.problem));
    else asking.resolve(answer.reply);
  });

  async function place(): Promise<void> {
    if (underWay < maxUnderWay) underWay += 1;
    // A question that ends hands its place over.
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
