import type { Database } from '../../storage/database/database.ts';
import { IndexFailure, type VectorStore } from '../../storage/vectors/index.ts';
import type { IndexCopies } from './index-copies.ts';
import { listFoundSince } from './queries/found-units.ts';
import { findIndex, type RagIndex } from './queries/indexes.ts';
import type { Reconciliation } from './reconciliation.ts';
import { wrongUnits, type UnitCopying } from './unit-copying.ts';

export type CatchUp = {
  /** Whether the copy of an index lacks documents that were searchable when the index was read. */
  isBehind(index: RagIndex): boolean;
  /** Adds what other nodes have added, until the copy has all of it or is being rebuilt. */
  followUntilThere(index: RagIndex): Promise<void>;
};

const documentsAtOnce = 100;

/** Brings the copies of indexes up to the revisions that other nodes have written. */
export function createCatchUp({
  db,
  vectors,
  copies,
  copying,
  reconciliation,
  signal,
}: {
  db: Database;
  vectors: VectorStore;
  copies: IndexCopies;
  copying: UnitCopying;
  reconciliation: Pick<Reconciliation, 'isMadeAgain' | 'makeAgain'>;
  signal: AbortSignal;
}): CatchUp {
  function isBehind({ indexId, dimensions, foundRevision }: RagIndex): boolean {
    return dimensions !== null && foundRevision > (copies.revisionOf(indexId) ?? -1);
  }

  async function followUntilThere(index: RagIndex): Promise<void> {
    if (await reconciliation.isMadeAgain(index)) return;
    let goesOn = true;
    while (goesOn && isBehind(index)) goesOn = await copies.inTurn(index.indexId, () => addSome(index));
    // If the copy was marked unverified meanwhile, it is compared.
    if (copies.revisionOf(index.indexId) === undefined) await reconciliation.isMadeAgain(index);
  }

  /** Adds the next documents; returns false if the copy was replaced or the index has another role by now. */
  async function addSome(index: RagIndex): Promise<boolean> {
    const { indexId } = index;
    const revision = copies.revisionOf(indexId);
    // Read before the documents, so that all up to its revision are visible.
    const now = await findIndex(db.read, index);
    if (revision === undefined || now === undefined || now.dimensions === null) return false;
    if (!isBehind(index)) return true;
    signal.throwIfAborted();
    const found = await listFoundSince(db.read, now, { revision, limit: documentsAtOnce });
    // After a switch, documents no longer name the units of the rebuild.
    if ((await findIndex(db.read, index)) === undefined) return false;
    const last = found.at(-1)?.revision ?? 0;
    if (found.length > 0) {
      try {
        const copy = await vectors.open(indexId, now.dimensions);
        const indexed = await copy.countByUnit(found.map(({ unit }) => unit));
        // Documents that this node ingested itself are already there.
        await copying.copy(now, copy, wrongUnits(found, indexed), { signal });
        if ((await vectors.open(indexId, now.dimensions)) !== copy) return false;
      } catch (error) {
        if (error instanceof IndexFailure && !error.isPassing) reconciliation.makeAgain(now, error);
        throw error;
      }
    }
    if (copies.revisionOf(indexId) !== revision) return false;
    copies.setRevision(indexId, found.length < documentsAtOnce ? Math.max(now.foundRevision, last) : last);
    return true;
  }

  return { isBehind, followUntilThere };
}
