import { createBackgroundTask } from '../../kernel/background-task.ts';
import type { Database } from '../../storage/database/database.ts';
import type { VectorStore } from '../../storage/vectors/index.ts';
import { ragErrors } from './errors.ts';
import { createIncompleteIndexes } from './incomplete-indexes.ts';
import type { IndexCopies } from './index-copies.ts';
import { compareIndex } from './index-comparison.ts';
import { createIndexLeftovers } from './index-leftovers.ts';
import { listFoundUnits } from './queries/found-units.ts';
import { findIndex, listIndexes, type RagIndex } from './queries/indexes.ts';
import { listKnowledgeBases } from './queries/knowledge-bases.ts';
import { sumOfChunks, type UnitCopying } from './unit-copying.ts';

/**
 * Makes indexes agree with the database: the last writes may be lost in a power failure, files may be missing or
 * damaged, and a killed process leaves unreferenced chunks. Each index is compared once, at the latest before its first
 * search; a node that follows others also compares periodically.
 */
export type Reconciliation = {
  /** Starts in the background. */
  start(): void;
  /** Throws KNOWLEDGE_BASE_INDEX_REBUILDING while the index lacks chunks, because a search would be incomplete. */
  requireWhole(index: RagIndex): Promise<void>;
  /** Whether missing chunks are being added to the index. */
  isMadeAgain(index: RagIndex): Promise<boolean>;
  /** Reports an index that cannot be read or written: it is dropped and rebuilt from the database. */
  makeAgain(index: RagIndex, error: Error): void;
  /** Removes chunks without a document from the indexes of a knowledge base, including their files. */
  removeErased(knowledgeBaseId: string): void;
  stop(): Promise<void>;
};

const basesAtOnce = 100;
const hourMs = 3_600_000;
const retryAfterSeconds = 2;

export function createReconciliation({
  db,
  vectors,
  copies,
  copying,
  isFollowing,
  intervalMs = hourMs,
  onWhole = async () => {},
  logger,
}: {
  db: Database;
  vectors: VectorStore;
  copies: IndexCopies;
  copying: UnitCopying;
  /** Whether other nodes add to the same knowledge bases. */
  isFollowing: boolean;
  /** Interval between comparisons of a node that follows others. */
  intervalMs?: number;
  /** Called once, when all indexes have been compared and completed. */
  onWhole?: (() => Promise<void>) | undefined;
  logger: { info(details: object, message: string): void; error(details: object, message: string): void };
}): Reconciliation {
  const compared = new Map<string, Promise<void>>();
  const erased = new Set<string>();
  const inTurn: IndexCopies['inTurn'] = isFollowing ? copies.inTurn : (_, work) => work();
  /**
   * Due times of the next comparison of all indexes and the next removal of leftovers; failed rounds are repeated soon.
   */
  let [nextComparison, nextRemoval] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let isTold = false;
  const nextTime = (): number => (isFollowing ? performance.now() + intervalMs : Number.POSITIVE_INFINITY);

  const task = createBackgroundTask({
    ...(isFollowing ? { everyMs: intervalMs } : {}),
    async work(signal) {
      const isDue = performance.now() >= nextRemoval;
      const isComparing = performance.now() >= nextComparison;
      const known = isDue ? await listAll() : [];
      for (const index of known) {
        signal.throwIfAborted();
        if (copies.revisionOf(index.indexId) === undefined || !isComparing) await compareOnce(index);
        else await begin(index);
      }
      if (isComparing) nextComparison = nextTime();
      const failures: unknown[] = [];
      for (const one of incomplete.list()) {
        signal.throwIfAborted();
        const completing = inTurn(one.index.indexId, () => incomplete.complete(one, signal));
        await completing.catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
      if (!isTold) await onWhole();
      isTold = true;
      for (const id of erased) {
        for (const index of await listIndexes(db.read, id)) await leftovers.removeFrom(index, { isForGood: true });
        erased.delete(id);
      }
      if (!isDue) return;
      await leftovers.remove(known);
      nextRemoval = nextTime();
    },
    onError: (error) =>
      logger.error({ err: error }, 'indexes could not be compared with the database; trying again until it works'),
  });

  const leftovers = createIndexLeftovers({ db, vectors });
  const incomplete = createIncompleteIndexes({
    db,
    vectors,
    copies,
    copying,
    setWhole,
    onAdded: task.wake,
    logger,
  });

  const comparison = { db, vectors, copying, isFollowing, incomplete, setWhole, logger };

  async function listAll(): Promise<RagIndex[]> {
    const all: RagIndex[] = [];
    for (let page = 0; ; page += 1) {
      const filter = { keyword: undefined, order: { column: 'created_at', direction: 'asc' } } as const;
      const { rows } = await listKnowledgeBases(db.read, filter, { page, size: basesAtOnce });
      for (const base of rows) all.push(...(await listIndexes(db.read, base.id)));
      if (rows.length < basesAtOnce) return all;
    }
  }

  function compareOnce(index: RagIndex): Promise<void> {
    // A following copy with a revision has already been compared.
    const isKnown =
      isFollowing && (copies.revisionOf(index.indexId) !== undefined || incomplete.find(index.indexId) !== undefined);
    if (index.dimensions === null || isKnown) return Promise.resolve();
    return compared.get(index.indexId) ?? begin(index);
  }

  function begin(index: RagIndex): Promise<void> {
    const { indexId, dimensions } = index;
    const comparing = inTurn(indexId, () => compareIndex(comparison, index, dimensions ?? 0));
    compared.set(indexId, comparing);
    const forget = (): boolean => compared.delete(indexId);
    void comparing.then(() => isFollowing && forget(), forget);
    return comparing;
  }

  /** Records that the copy has everything searchable, unless the compared index got another role meanwhile. */
  async function setWhole(index: RagIndex): Promise<void> {
    if (isFollowing && (await findIndex(db.read, index)) !== undefined)
      copies.setRevision(index.indexId, index.foundRevision);
  }

  return {
    start: task.start,
    makeAgain: incomplete.addUnreadable,
    removeErased(knowledgeBaseId) {
      erased.add(knowledgeBaseId);
      task.wake();
    },
    async requireWhole(index) {
      await compareOnce(index);
      const one = incomplete.find(index.indexId);
      if (one === undefined) return;
      const total = one.total === 0 ? sumOfChunks(await listFoundUnits(db.read, index)) : one.total;
      throw ragErrors.KNOWLEDGE_BASE_INDEX_REBUILDING(
        { id: index.knowledgeBaseId, done: one.done, total, seconds: retryAfterSeconds },
        { retryAfterSeconds },
      );
    },
    async isMadeAgain(index) {
      await compareOnce(index);
      return incomplete.find(index.indexId) !== undefined;
    },
    stop: task.stop,
  };
}
