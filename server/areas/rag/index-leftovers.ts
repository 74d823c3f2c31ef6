import type { Database } from '../../storage/database/database.ts';
import type { VectorStore } from '../../storage/vectors/index.ts';
import { listUnitNumbers } from './queries/chunks.ts';
import { isInUse, type RagIndex } from './queries/indexes.ts';

/** Removes leftovers from indexes. */
export type IndexLeftovers = {
  /** Removes chunks without a document, and indexes without a knowledge base. */
  remove(known: readonly RagIndex[]): Promise<void>;
  /** Removes chunks without a document from an index; `isForGood`: from its files as well. */
  removeFrom(index: RagIndex, options?: { isForGood?: boolean }): Promise<void>;
};

export function createIndexLeftovers({ db, vectors }: { db: Database; vectors: VectorStore }): IndexLeftovers {
  async function removeFrom({ indexId, dimensions }: RagIndex, { isForGood = false } = {}): Promise<void> {
    if (dimensions === null || !(await isInUse(db.read, indexId))) return;
    const index = await vectors.open(indexId, dimensions);
    const indexed = await index.countByUnit();
    // Read after the index, because a unit is stored before it is indexed.
    const kept = new Set(await listUnitNumbers(db.read, indexId));
    await index.remove([...indexed.keys()].filter((unit) => !kept.has(unit)));
    // The index physically keeps removed chunks until its segments are merged.
    if (isForGood) await index.join();
  }

  return {
    async remove(known) {
      for (const index of known) await removeFrom(index);
      const ids = new Set(known.map(({ indexId }) => indexId));
      for (const id of await vectors.list()) if (!ids.has(id) && !(await isInUse(db.read, id))) await vectors.drop(id);
    },
    removeFrom,
  };
}
