import { createAskedThread } from '../../../processes/thread-calls.ts';
import type { LedgerShard } from '../../orders/ledger-entry.ts';
import type { LedgerAnswer, LedgerAnswers, LedgerQuestion, LedgerRequest } from '../../orders/ledger-questions.ts';

/** A shard's ledger for the thread, which takes over the bytes. */
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

export function createLedgerThread(): LedgerThread {
  const thread = createAskedThread<LedgerRequest, LedgerAnswer | undefined>({
    module: new URL('../../work/ledger/ledger-worker.ts', import.meta.url),
    name: 'ledger',
    env: {},
  });
  let lastId = 0;

  return {
    async ask(question, ledgers) {
      if (thread.isClosed) throw new Error('The engine is closed');
      const running = thread.current();
      const id = (lastId += 1);
      /** Ledgers that the thread has not read yet. */
      const onWay = new Set<Promise<unknown>>();
      let problem: { error: unknown } | undefined;
      try {
        await running.ask({ id, kind: 'question', question });
        for await (const { shard, ledger, found } of ledgers) {
          const taken: Promise<unknown> = running
            .ask({ id, kind: 'shard', shard, ledger, found }, [ledger.buffer])
            .catch((error: unknown) => (problem ??= { error }))
            .finally(() => onWay.delete(taken));
          onWay.add(taken);
          if (onWay.size >= ahead) await Promise.race(onWay);
          if (problem !== undefined) throw problem.error;
        }
        // Answered after all ledgers are read; if one could not be read, its error is thrown.
        const answer = await running.ask({ id, kind: 'answer' });
        if (problem !== undefined) throw problem.error;
        return answer as never;
      } catch (error) {
        running.tell({ id, kind: 'forget' });
        throw error;
      }
    },
    close: () => thread.close(),
  };
}
