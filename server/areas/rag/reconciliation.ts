import { createBackgroundTask } from '../../kernel/background-task.ts';
import type { Database } from '../../storage/database/database.ts';
import { IndexFailure, type IndexedUnit, type VectorStore } from '../../storage/vectors/index.ts';
import { ragErrors } from './errors.ts';
import type { IndexCopies } from './index-copies.ts';
import { listUnitNumbers } from './queries/chunks.ts';
import { listFoundUnits } from './queries/found-units.ts';
import { findIndex, isInUse, listIndexes, type RagIndex } from './queries/indexes.ts';
import { listKnowledgeBases } from './queries/knowledge-bases.ts';
import { wrongUnits, type UnitCopying, type WantedUnit } from './unit-copying.ts';

/**
 * Makes indexes agree with the database: power loss may have taken what was written last, files may be missing or
 * damaged, a kill leaves what nobody finds. Each index is compared once, before its first search at the latest; a node that follows others also
 * compares now and then.
 */
export type Reconciliation = {
  /** Begins in the background. */
  start(): void;
  /** Throws KNOWLEDGE_BASE_INDEX_REBUILDING while chunks are missing in the index: a search would find a part of them. */
  requireWhole(index: RagIndex): Promise<void>;
  /** Whether chunks that are missing in the index are being added. */
  isMadeAgain(index: RagIndex): Promise<boolean>;
  /** The index could not be read or written: it is dropped and made again from the database. */
  makeAgain(index: RagIndex, error: Error): void;
  /** Removes chunks that no document has from the indexes of a knowledge base, now and from its files. */
  removeErased(knowledgeBaseId: string): void;
  stop(): Promise<void>;
};

type Incomplete = { index: RagIndex; done: number; total: number; isUnreadable: boolean };

const basesAtOnce = 100;
/** A node adds so many chunks of others before it answers. */
const fewChunks = 1_000;
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
  /** Whether others add to the same knowledge bases. */
  isFollowing: boolean;
  /** Between comparisons of a node that follows others. */
  intervalMs?: number;
  /** Called once, when all indexes have been compared and completed. */
  onWhole?: (() => Promise<void>) | undefined;
  logger: { info(details: object, message: string): void; error(details: object, message: string): void };
}): Reconciliation {
  const compared = new Map<string, Promise<void>>();
  const incomplete = new Map<string, Incomplete>();
  const erased = new Set<string>();
  const inTurn: IndexCopies['inTurn'] = isFollowing ? copies.inTurn : (_, work) => work();
  /** When all indexes are compared, and when leftovers are removed: rounds that fail are repeated soon. */
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
      for (const one of incomplete.values()) {
        signal.throwIfAborted();
        const completing = inTurn(one.index.indexId, () => complete(one, signal));
        await completing.catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
      if (!isTold) await onWhole();
      isTold = true;
      for (const id of erased) {
        for (const index of await listIndexes(db.read, id)) await removeEnded(index, { isForGood: true });
        erased.delete(id);
      }
      if (!isDue) return;
      await removeLeftovers(known);
      nextRemoval = nextTime();
    },
    onError: (error) =>
      logger.error({ err: error }, 'indexes could not be compared with the database; trying again until it works'),
  });

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
    // A copy that others add to is known by its revision.
    const isKnown = isFollowing && (copies.revisionOf(index.indexId) !== undefined || incomplete.has(index.indexId));
    if (index.dimensions === null || isKnown) return Promise.resolve();
    return compared.get(index.indexId) ?? begin(index);
  }

  function begin(index: RagIndex): Promise<void> {
    const { indexId, dimensions } = index;
    const comparing = inTurn(indexId, () => compare(index, dimensions ?? 0));
    compared.set(indexId, comparing);
    const forget = (): boolean => compared.delete(indexId);
    void comparing.then(() => isFollowing && forget(), forget);
    return comparing;
  }

  /** The copy has all that searches find, unless the index that was compared got another role meanwhile. */
  async function setWhole(index: RagIndex): Promise<void> {
    if (isFollowing && (await findIndex(db.read, index)) !== undefined)
      copies.setRevision(index.indexId, index.foundRevision);
  }

  async function compare(index: RagIndex, dimensions: number): Promise<void> {
    const { indexId } = index;
    // Read before the index: the chunks of a document are there before it names them.
    const before = await listFoundUnits(db.read, index);
    let indexed: ReadonlyMap<number, IndexedUnit> = new Map();
    let failure: Error | undefined;
    try {
      indexed = await (await vectors.open(indexId, dimensions)).countByUnit();
    } catch (error) {
      failure = error as Error;
    }
    const wrong = wrongUnits(before, indexed);
    if (failure === undefined && wrong.length === 0) return setWhole(index);
    // A document that was deleted or replaced meanwhile misses nothing.
    const now = await listFoundUnits(db.read, index);
    const current = new Set(now.map(({ unit }) => unit));
    const missing = sum(wrong.filter(({ unit }) => current.has(unit)));
    if (failure !== undefined) makeAgain(index, failure);
    else if (isFollowing && missing <= fewChunks && (await addFew(index, dimensions, wrong))) await setWhole(index);
    else if (missing > 0) {
      const total = sum(now);
      copies.forget(indexId);
      incomplete.set(indexId, { index, done: Math.max(0, total - missing), total, isUnreadable: false });
      task.wake();
    }
  }

  /** What others have added since the last look; false if that fails. */
  async function addFew(index: RagIndex, dimensions: number, units: readonly WantedUnit[]): Promise<boolean> {
    try {
      await copying.copy(index, await vectors.open(index.indexId, dimensions), units);
      return true;
    } catch (error) {
      logger.error({ err: error, knowledgeBaseId: index.knowledgeBaseId }, 'documents could not be added to an index');
      return false;
    }
  }

  function makeAgain(index: RagIndex, error: Error): void {
    copies.forget(index.indexId);
    if (incomplete.has(index.indexId)) return;
    const { knowledgeBaseId, indexId } = index;
    logger.error({ err: error, knowledgeBaseId }, 'an index can not be used; it is made again from the database');
    incomplete.set(indexId, { index, done: 0, total: 0, isUnreadable: true });
    task.wake();
  }

  async function complete(one: Incomplete, signal: AbortSignal): Promise<void> {
    const { knowledgeBaseId, indexId } = one.index;
    // A rebuild's index may have become the one in use.
    const wanted = (await listIndexes(db.read, knowledgeBaseId)).find((index) => index.indexId === indexId);
    if (wanted === undefined || wanted.dimensions === null) {
      incomplete.delete(indexId);
      return;
    }
    if (one.isUnreadable) await vectors.drop(indexId);
    one.isUnreadable = false;
    const index = await vectors.open(indexId, wanted.dimensions);
    try {
      const indexed = await index.countByUnit();
      const current = await listFoundUnits(db.read, wanted);
      const wrong = wrongUnits(current, indexed);
      one.total = sum(current);
      one.done = one.total - sum(wrong);
      await copying.copy(wanted, index, wrong, { signal, onAdded: (chunks) => void (one.done += chunks) });
      await index.join();
      await setWhole(wanted);
      incomplete.delete(indexId);
      logger.info({ knowledgeBaseId, documents: wrong.length }, 'documents were indexed again from what is stored');
    } catch (error) {
      // The next attempt begins with an empty one, unless a full disk or a model is the cause.
      if (isUnreadable(error)) one.isUnreadable = true;
      throw error;
    } finally {
      if (!(await isInUse(db.read, indexId))) {
        incomplete.delete(indexId);
        await vectors.drop(indexId);
      }
    }
  }

  /** Chunks that no document has, and indexes that no knowledge base has. */
  async function removeLeftovers(known: readonly RagIndex[]): Promise<void> {
    for (const index of known) await removeEnded(index);
    const ids = new Set(known.map(({ indexId }) => indexId));
    for (const id of await vectors.list()) if (!ids.has(id) && !(await isInUse(db.read, id))) await vectors.drop(id);
  }

  async function removeEnded({ indexId, dimensions }: RagIndex, { isForGood = false } = {}): Promise<void> {
    if (dimensions === null || !(await isInUse(db.read, indexId))) return;
    const index = await vectors.open(indexId, dimensions);
    const indexed = await index.countByUnit();
    // Read after the index: a unit is stored before it is indexed.
    const kept = new Set(await listUnitNumbers(db.read, indexId));
    await index.remove([...indexed.keys()].filter((unit) => !kept.has(unit)));
    // The index keeps removed chunks until its parts are joined.
    if (isForGood) await index.join();
  }

  return {
    start: task.start,
    makeAgain,
    removeErased(knowledgeBaseId) {
      erased.add(knowledgeBaseId);
      task.wake();
    },
    async requireWhole(index) {
      await compareOnce(index);
      const one = incomplete.get(index.indexId);
      if (one === undefined) return;
      const total = one.total === 0 ? sum(await listFoundUnits(db.read, index)) : one.total;
      throw ragErrors.KNOWLEDGE_BASE_INDEX_REBUILDING(
        { id: index.knowledgeBaseId, done: one.done, total, seconds: retryAfterSeconds },
        { retryAfterSeconds },
      );
    },
    async isMadeAgain(index) {
      await compareOnce(index);
      return incomplete.has(index.indexId);
    },
    stop: task.stop,
  };
}

function isUnreadable(error: unknown): boolean {
  return error instanceof IndexFailure && !error.isPassing;
}

function sum(units: readonly { chunks: number }[]): number {
  return units.reduce((all, { chunks }) => all + chunks, 0);
}
