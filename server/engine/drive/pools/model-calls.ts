import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ModelQuestion, ModelReply } from '../../../operators/index.ts';
import { RunFailure } from '../../../runs/index.ts';
import type { ModelAnswerMessage, ModelAskMessage } from '../../orders/worker-protocol.ts';

/**
 * Model access for the steps of a job. A rejection fails the sample with its message; a RunFailure ends the job, and
 * with it the run.
 */
export type ModelUse = {
  ask(step: number, question: ModelQuestion, signal: AbortSignal): Promise<ModelReply>;
};

/** The model calls that the jobs of one worker make. */
export type WorkerCalls = {
  /** The worker's end of the channel. */
  readonly port: MessagePort;
  /** Whether a reply is awaited: the worker may then be idle. */
  readonly isWaiting: boolean;
  /** A job begins; without `use` it can't call models. `fail` ends it. */
  begin(use: ModelUse | undefined, fail: (error: Error) => void): void;
  /** The job has ended: its open calls are aborted. */
  end(): void;
  close(): void;
};

type Job = { use: ModelUse | undefined; fail: (error: Error) => void; calls: Map<number, AbortController> };

export function createWorkerCalls(): WorkerCalls {
  const { port1: own, port2 } = new MessageChannel();
  let job: Job | undefined;

  async function answer(asker: Job, id: number, step: number, question: ModelQuestion): Promise<void> {
    const abort = new AbortController();
    asker.calls.set(id, abort);
    const reply = (message: ModelAnswerMessage): void => {
      if (asker.calls.delete(id)) own.postMessage(message);
    };
    try {
      if (asker.use === undefined) throw new Error('No model can be asked here');
      reply({ id, reply: await asker.use.ask(step, question, abort.signal) });
    } catch (error) {
      if (error instanceof RunFailure) asker.fail(error);
      reply({ id, problem: error instanceof Error ? error.message : String(error) });
    }
  }

  own.on('message', (message: ModelAskMessage) => {
    // The job that sent this question has ended.
    if (job === undefined) return;
    if (!('stop' in message)) {
      void answer(job, message.id, message.step, message.question);
      return;
    }
    job.calls.get(message.id)?.abort();
    job.calls.delete(message.id);
  });
  own.unref();

  return {
    port: port2,
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
    close: () => own.close(),
  };
}
