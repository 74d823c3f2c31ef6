import type { IncompleteIndexes } from './incomplete-indexes.ts';
import type { Database } from '../../storage/database/database.ts';
import type { IndexedUnit, VectorStore } from '../../storage/vectors/index.ts';
import { listFoundUnits } from './queries/found-units.ts';
import type { RagIndex } from './queries/indexes.ts';
import { sumOfChunks, wrongUnits, type UnitCopying, type WantedUnit } from './unit-copying.ts';

export type IndexComparison = {
  db: Database;
  vectors: VectorStore;
  copying: UnitCopying;
  /** Whether other nodes add to the same knowledge bases. */
  isFollowing: boolean;
  incomplete: Pick<IncompleteIndexes, 'add' | 'addUnreadable'>;
  /** Records that an index has everything searchable. */
  setWhole(index: RagIndex): Promise<void>;
  logger: { error(details: object, message: string): void };
};

/** Up to this many chunks of other nodes are added before a search is answered. */
const fewChunks = 1_000;

/** Compares an index with the database, and records what it lacks; a following copy gets a few chunks at once. */
export async function compareIndex(comparison: IndexComparison, index: RagIndex, dimensions: number): Promise<void> {
  const { db, vectors, isFollowing, incomplete, setWhole } = comparison;
  const { indexId } = index;
  // Read before the index, because the chunks of a document are indexed before it names them.
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
  // A document deleted or replaced meanwhile lacks nothing.
  const now = await listFoundUnits(db.read, index);
  const current = new Set(now.map(({ unit }) => unit));
  const missing = sumOfChunks(wrong.filter(({ unit }) => current.has(unit)));
  if (failure !== undefined) incomplete.addUnreadable(index, failure);
  else if (isFollowing && missing <= fewChunks && (await addFew(comparison, index, dimensions, wrong)))
    await setWhole(index);
  else if (missing > 0) {
    const total = sumOfChunks(now);
    incomplete.add(index, { done: Math.max(0, total - missing), total });
  }
}

/** Adds what other nodes have added since the last comparison; returns false on failure. */
async function addFew(
  { vectors, copying, logger }: IndexComparison,
  index: RagIndex,
  dimensions: number,
  units: readonly WantedUnit[],
): Promise<boolean> {
  try {
    await copying.copy(index, await vectors.open(index.indexId, dimensions), units);
    return true;
  } catch (error) {
    logger.error({ err: error, knowledgeBaseId: index.knowledgeBaseId }, 'documents could not be added to an index');
    return false;
  }
}
