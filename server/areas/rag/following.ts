import { setTimeout as pause } from 'node:timers/promises';
import { createBackgroundTask } from '../../kernel/background-task.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { Signals } from '../../storage/database/signals.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import type { VectorStore } from '../../storage/vectors/index.ts';
import { createCatchUp } from './catch-up.ts';
import type { IndexCopies } from './index-copies.ts';
import { countFoundSince } from './queries/found-units.ts';
import { isInUse, listAllIndexes, listIndexes, nextFoundRevision, type RagIndex } from './queries/indexes.ts';
import type { Reconciliation } from './reconciliation.ts';
import type { UnitCopying } from './unit-copying.ts';

/**
 * Nodes that share a database each have a copy of every index and follow what other nodes add: the transaction that
 * makes a document searchable assigns it a revision number, and a copy behind the latest number catches up before it
 * answers.
 */
export type Following = {
  /** Returns the columns to set when a document of a locked index becomes searchable. */
  numberFound(tx: Tx, index: RagIndex): Promise<Partial<RagDocumentsTable>>;
  /** Announces that a document became searchable; call after the commit. */
  tellFound(knowledgeBaseId: string): void;
  tellErased(knowledgeBaseId: string): void;
  tellUnused(indexId: string): void;
  /** Waits briefly for the copy to catch up; returns how many searchable documents it still lacks. */
  catchUp(index: RagIndex, signal?: AbortSignal): Promise<number>;
  /** Marks the copy as unverified: a released run may have written to it while another node finished the same work. */
  doubt(indexId: string): void;
  start(): void;
  stop(): Promise<void>;
};

/** For a process that does not share its knowledge bases. */
export const noFollowing: Following = {
  numberFound: async () => ({}),
  tellFound() {},
  tellErased() {},
  tellUnused() {},
  catchUp: async () => 0,
  doubt() {},
  start() {},
  stop: async () => {},
};

/** Polling interval, since hints may be lost. */
const lookEveryMs = 5_000;
const searchWaitMs = 2_000;

export function createFollowing({
  db,
  vectors,
  copies,
  copying,
  reconciliation,
  signals,
  waitMs = searchWaitMs,
  logger,
}: {
  db: Database;
  vectors: VectorStore;
  copies: IndexCopies;
  copying: UnitCopying;
  reconciliation: Pick<Reconciliation, 'isMadeAgain' | 'makeAgain' | 'removeErased'>;
  signals: Signals;
  /** How long a search waits for documents added by other nodes. */
  waitMs?: number;
  logger: { error(details: object, message: string): void };
}): Following {
  const changed = new Set<string>();
  const forgetters: (() => void)[] = [];
  const stopping = new AbortController();
  const under = new Set<Promise<void>>();
  let nextLook = 0;
  const { isBehind, followUntilThere } = createCatchUp({
    db,
    vectors,
    copies,
    copying,
    reconciliation,
    signal: stopping.signal,
  });

  const task = createBackgroundTask({
    everyMs: lookEveryMs,
    async work(signal) {
      const ids = [...changed];
      changed.clear();
      const isDue = performance.now() >= nextLook;
      if (isDue) nextLook = performance.now() + lookEveryMs;
      const indexes = isDue
        ? await listAllIndexes(db.read)
        : (await Promise.all(ids.map((id) => listIndexes(db.read, id)))).flat();
      const failures: unknown[] = [];
      for (const index of indexes) {
        signal.throwIfAborted();
        if (!isBehind(index)) continue;
        await follow(index).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
    onError: (error) =>
      logger.error({ err: error }, 'what other nodes have indexed could not be added; trying again until it works'),
  });

  /** Resolves when the copy has all that was searchable when the index was read, or when it is being rebuilt. */
  function follow(index: RagIndex): Promise<void> {
    const work = followUntilThere(index).finally(() => under.delete(work));
    under.add(work);
    return work;
  }

  async function dropUnused(indexId: string): Promise<void> {
    if (await isInUse(db.read, indexId)) return;
    copies.forget(indexId);
    await vectors.drop(indexId);
  }

  function look(knowledgeBaseId: string): void {
    changed.add(knowledgeBaseId);
    task.wake();
  }

  return {
    async numberFound(tx, index) {
      const number = await nextFoundRevision(tx, index);
      return index.unitColumn === 'unit' ? { found_revision: number } : { next_found_revision: number };
    },
    tellFound(knowledgeBaseId) {
      signals.send('documents-found', knowledgeBaseId);
      look(knowledgeBaseId);
    },
    tellErased: (knowledgeBaseId) => signals.send('documents-erased', knowledgeBaseId),
    tellUnused(indexId) {
      copies.forget(indexId);
      signals.send('index-unused', indexId);
    },
    async catchUp(index, signal) {
      if (!isBehind(index)) return 0;
      const over = new AbortController();
      const following = follow(index).catch(() => task.wake());
      try {
        await Promise.race([following, pause(waitMs, undefined, { signal: over.signal })]);
      } finally {
        over.abort();
      }
      signal?.throwIfAborted();
      if (!isBehind(index)) return 0;
      return countFoundSince(db.read, index, copies.revisionOf(index.indexId) ?? 0);
    },
    doubt: copies.forget,
    start() {
      forgetters.push(
        signals.on('documents-found', look),
        signals.on('documents-erased', reconciliation.removeErased),
        // Failures are left to the next comparison.
        signals.on('index-unused', (indexId) => void dropUnused(indexId).catch(() => undefined)),
      );
      task.start();
    },
    async stop() {
      for (const forget of forgetters.splice(0)) forget();
      stopping.abort();
      await task.stop();
      await Promise.allSettled(under);
    },
  };
}
