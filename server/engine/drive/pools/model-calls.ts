import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { ReasonedError, reasonOf } from '../../../kernel/reasoned-error.ts';
import { foreign } from '../../../kernel/sentences/index.ts';
import type { ModelQuestion, ModelReply } from '../../../operators/index.ts';
import { RunFailure } from '../../../kernel/run-failure.ts';
import type { ModelAnswerMessage, ModelAskMessage } from '../../orders/worker-protocol.ts';

/**
 * Model access for the steps of a job. A rejection fails the sample with its message; a RunFailure ends the job, and
 * with it the run.
 */
export type ModelUse = {
  ask(step: number, question: ModelQuestion, signal: AbortSignal): Promise<ModelReply>;
};

/** The model calls that the jobs of one worker make. */
export type AnsweredCalls = {
  /** Whether a reply is awaited: the worker may then be idle. */
  readonly isWaiting: boolean;
  /** A job begins; without `use` it can't call models. `fail` ends it. */
  begin(use: ModelUse | undefined, fail: (error: Error) => void): void;
  /** The job has ended: its open calls are aborted. */
  end(): void;
  /** Receives a question of the worker, or its cancellation. */
  receive(message: ModelAskMessage): void;
};

/** The model calls of a worker thread, over a channel of their own. */
export type WorkerCalls = Omit<AnsweredCalls, 'receive'> & {
  /** The worker's end of the channel. */
  readonly port: MessagePort;
  close(): void;
};

type Job = { use: ModelUse | undefined; fail: (error: Error) => void; calls: Map<number, AbortController> };

/** Answers the questions of one worker; `send` takes the answers to it. */
export function createAnsweredCalls(send: (message: ModelAnswerMessage) => void): AnsweredCalls {
  let job: Job | undefined;

  async function answer(asker: Job, id: number, step: number, question: ModelQuestion): Promise<void> {
    const abort = new AbortController();
    asker.calls.set(id, abort);
    const reply = (message: ModelAnswerMessage): void => {
      if (asker.calls.delete(id)) send(message);
    };
    try {
      if (asker.use === undefined) throw new Error('No model can be asked here');
      reply({ id, reply: await asker.use.ask(step, question, abort.signal) });
    } catch (error) {
      if (error instanceof RunFailure) asker.fail(error);
      reply({ id, problem: error instanceof Error ? reasonOf(error) : foreign(String(error)) });
    }
  }

  return {
    get isWaiting() {
      return job !== undefined && job.calls.size > 0;
    },
    begin(use, fail) {
      job = { use, fail, calls: new Map() };
    },
    end() {
      const calls = [...(job?.calls.values() ?? [])];
      job?.calls.clear();
      job = undefined;
      for (const call of calls) call.abort();
    },
    receive(message) {
      // The job that sent this question has ended.
      if (job === undefined) return;
      if (!('stop' in message)) {
        void answer(job, message.id, message.step, message.question);
        return;
      }
      job.calls.get(message.id)?.abort();
      job.calls.delete(message.id);
    },
  };
}

export function createWorkerCalls(): WorkerCalls {
  const { port1: own, port2 } = new MessageChannel();
  const calls = createAnsweredCalls((message) => own.postMessage(message));
  own.on('message', calls.receive);
  own.unref();
  return {
    port: port2,
    get isWaiting() {
      return calls.isWaiting;
    },
    begin: calls.begin,
    end: calls.end,
    close: () => own.close(),
  };
}

/** Passes the questions of a worker on to the process that has the keys of the models. */
export type CallRelay = {
  use: ModelUse;
  /** Receives an answer of that process. */
  receive(message: ModelAnswerMessage): void;
};

/** `send` takes the questions to the other process. */
export function createCallRelay(send: (message: ModelAskMessage) => void): CallRelay {
  const open = new Map<number, PromiseWithResolvers<ModelReply>>();
  let lastId = 0;

  return {
    use: {
      async ask(step, question, signal) {
        signal.throwIfAborted();
        const id = (lastId += 1);
        const asking = Promise.withResolvers<ModelReply>();
        const stop = (): void => {
          send({ id, stop: true });
          asking.reject(new Error('The question was given up'));
        };
        open.set(id, asking);
        signal.addEventListener('abort', stop, { once: true });
        try {
          send({ id, step, question });
          return await asking.promise;
        } finally {
          open.delete(id);
          signal.removeEventListener('abort', stop);
        }
      },
    },
    receive({ id, ...answer }) {
      if ('problem' in answer) open.get(id)?.reject(new ReasonedError(answer.problem));
      else open.get(id)?.resolve(answer.reply);
    },
  };
}
