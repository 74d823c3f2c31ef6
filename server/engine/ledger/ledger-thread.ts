import { Worker } from 'node:worker_threads';
import { builtModule } from '../../kernel/built-modules.ts';
import type { LedgerShard } from './ledger-entry.ts';
import type { FromLedgerWorker, LedgerAnswers, LedgerQuestion, ToLedgerWorker } from './ledger-questions.ts';

/** A shard's ledger for the thread, which keeps the bytes. */
export type GivenLedger = {
  shard: LedgerShard;
  ledger: Uint8Array<ArrayBuffer>;
  /** Ordinals of the samples whose texts match the search; missing if they were not searched. */
  found?: ReadonlySet<number> | undefined;
};

/** Reads ledgers in its own thread, so that a million lines do not block requests. */
export type LedgerThread = {
  ask<Q extends LedgerQuestion>(question: Q, ledgers: AsyncIterable<GivenLedger>): Promise<LedgerAnswers[Q['kind']]>;
  close(): Promise<void>;
};

/** Maximum number of ledgers per question in transfer to the thread. */
const ahead = 4;

type Pending = { taken(): void; resolve(answer: unknown): void; reject(error: Error): void };

export function createLedgerThread(): LedgerThread {
  const pending = new Map<number, Pending>();
  let worker: Worker | undefined;
  let lastId = 0;
  let isClosed = false;

  function start(): Worker {
    const started = new Worker(builtModule(new URL('ledger-worker.ts', import.meta.url)), { name: 'ledger', env: {} });
    started.on('message', (message: FromLedgerWorker) => {
      const asked = pending.get(message.id);
      if (message.kind === 'taken') asked?.taken();
      else if (message.kind === 'answer') asked?.resolve(message.answer);
      else asked?.reject(new Error(message.message, { cause: message.stack }));
    });
    const lost = (error: Error): void => {
      if (worker === started) worker = undefined;
      for (const { reject } of pending.values()) reject(error);
    };
    started.on('error', lost);
    started.on('exit', () => lost(new Error('The thread that reads ledgers ended')));
    return started;
  }

  return {
    async ask(question, ledgers) {
      if (isClosed) throw new Error('The engine is closed');
      const thread = (worker ??= start());
      const id = (lastId += 1);
      const send = (message: ToLedgerWorker, transfer: ArrayBuffer[] = []): void =>
        thread.postMessage(message, transfer);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      // Awaited below; this prevents an unhandled rejection before that.
      promise.catch(() => undefined);
      let onWay = 0;
      let goOn: (() => void) | undefined;
      const wake = (): void => {
        goOn?.();
        goOn = undefined;
      };
      pending.set(id, {
        taken() {
          onWay -= 1;
          wake();
        },
        resolve,
        reject(error) {
          reject(error);
          onWay = Number.NEGATIVE_INFINITY;
          wake();
        },
      });
      // Only an open question keeps the process alive.
      thread.ref();
      try {
        send({ id, kind: 'question', question });
        for await (const { shard, ledger, found } of ledgers) {
          onWay += 1;
          send({ id, kind: 'shard', shard, ledger, found }, [ledger.buffer]);
          if (onWay >= ahead) await new Promise<void>((resume) => (goOn = resume));
          if (onWay === Number.NEGATIVE_INFINITY) break;
        }
        send({ id, kind: 'answer' });
        return (await promise) as never;
      } catch (error) {
        send({ id, kind: 'forget' });
        throw error;
      } finally {
        pending.delete(id);
        if (pending.size === 0) thread.unref();
      }
    },
    async close() {
      isClosed = true;
      await worker?.terminate();
    },
  };
}
