import type { Database } from '../../storage/database/database.ts';
import { IndexFailure, type VectorStore } from '../../storage/vectors/index.ts';
import type { IndexCopies } from './index-copies.ts';
import { listFoundUnits } from './queries/found-units.ts';
import { isInUse, listIndexes, type RagIndex } from './queries/indexes.ts';
import { sumOfChunks, wrongUnits, type UnitCopying } from './unit-copying.ts';

/** An index that lacks chunks, and the progress of its completion; `total` is 0 until it is known. */
export type IncompleteIndex = { index: RagIndex; done: number; total: number; isUnreadable: boolean };

/** Indexes that lack chunks of documents, until the chunks are added. */
export type IncompleteIndexes = {
  find(indexId: string): IncompleteIndex | undefined;
  list(): Iterable<IncompleteIndex>;
  /** Registers an index that lacks chunks. */
  add(index: RagIndex, progress: { done: number; total: number }): void;
  /** Registers an unusable index: it is dropped and rebuilt. */
  addUnreadable(index: RagIndex, error: Error): void;
  /** Adds what is missing; throws if that is impossible at the moment. */
  complete(one: IncompleteIndex, signal: AbortSignal): Promise<void>;
};

export function createIncompleteIndexes({
  db,
  vectors,
  copies,
  copying,
  setWhole,
  onAdded,
  logger,
}: {
  db: Database;
  vectors: VectorStore;
  copies: Pick<IndexCopies, 'forget'>;
  copying: UnitCopying;
  /** Called when the index has everything searchable. */
  setWhole(index: RagIndex): Promise<void>;
  /** Called when there is an index to complete. */
  onAdded(): void;
  logger: { info(details: object, message: string): void; error(details: object, message: string): void };
}): IncompleteIndexes {
  const incomplete = new Map<string, IncompleteIndex>();

  return {
    find: (indexId) => incomplete.get(indexId),
    list: () => incomplete.values(),
    add(index, { done, total }) {
      copies.forget(index.indexId);
      incomplete.set(index.indexId, { index, done, total, isUnreadable: false });
      onAdded();
    },
    addUnreadable(index, error) {
      copies.forget(index.indexId);
      if (incomplete.has(index.indexId)) return;
      const { knowledgeBaseId, indexId } = index;
      logger.error({ err: error, knowledgeBaseId }, 'an index can not be used; it is made again from the database');
      incomplete.set(indexId, { index, done: 0, total: 0, isUnreadable: true });
      onAdded();
    },
    async complete(one, signal) {
      const { knowledgeBaseId, indexId } = one.index;
      // The index of a rebuild may have become the current one.
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
        one.total = sumOfChunks(current);
        one.done = one.total - sumOfChunks(wrong);
        await copying.copy(wanted, index, wrong, { signal, onAdded: (chunks) => void (one.done += chunks) });
        await index.join();
        await setWhole(wanted);
        incomplete.delete(indexId);
        logger.info({ knowledgeBaseId, documents: wrong.length }, 'documents were indexed again from what is stored');
      } catch (error) {
        // The next attempt starts from an empty index, unless a full disk or a model caused the failure.
        if (isUnreadable(error)) one.isUnreadable = true;
        throw error;
      } finally {
        if (!(await isInUse(db.read, indexId))) {
          incomplete.delete(indexId);
          await vectors.drop(indexId);
        }
      }
    },
  };
}

function isUnreadable(error: unknown): boolean {
  return error instanceof IndexFailure && !error.isPassing;
}
