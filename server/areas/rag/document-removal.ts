import type { Runs } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { RagDocumentsTable, RagUnitsTable } from '../../storage/database/tables/rag.ts';
import { IndexFailure, type VectorStore } from '../../storage/vectors/index.ts';
import { ingestKind } from './ingest-run.ts';
import { deleteUnit, listUnitsOfDocument } from './queries/chunks.ts';
import { deleteDocument, lockDocument } from './queries/documents.ts';
import { listIndexes } from './queries/indexes.ts';
import type { Reconciliation } from './reconciliation.ts';
import type { DocumentsDeletionResult } from './schemas/documents.ts';

export type DocumentRemoval = {
  /** Deletes documents in steps, then removes their chunks from the indexes. */
  remove(knowledgeBaseId: string, ids: readonly string[]): Promise<DocumentsDeletionResult>;
  /** Deletes the rows of a document; the caller releases the returned blobs, and removes its chunks from the index. */
  erase(tx: Tx, document: RagDocumentsTable): Promise<string[]>;
};

/** Documents deleted per transaction. */
const removedAtOnce = 100;

export function createDocumentRemoval({
  db,
  blobs,
  runs,
  vectors,
  reconciliation,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'release'>;
  runs: Pick<Runs, 'deleteRuns' | 'lockRuns'>;
  vectors: VectorStore;
  reconciliation: Pick<Reconciliation, 'makeAgain'>;
}): DocumentRemoval {
  async function erase(tx: Tx, document: RagDocumentsTable): Promise<string[]> {
    const blobIds = [document.blob_id, ...(document.text_blob_id === null ? [] : [document.text_blob_id])];
    for (const { knowledge_base_id: knowledgeBaseId, unit } of await listUnitsOfDocument(tx, document.id))
      blobIds.push(...(await deleteUnit(tx, { knowledgeBaseId, unit })));
    await deleteDocument(tx, document.id);
    await runs.deleteRuns(tx, ingestKind, document.id);
    return blobIds;
  }

  async function remove(knowledgeBaseId: string, ids: readonly string[]): Promise<DocumentsDeletionResult> {
    const notFound: string[] = [];
    const units: RagUnitsTable[] = [];
    try {
      for (let from = 0; from < ids.length; from += removedAtOnce) {
        const some = ids.slice(from, from + removedAtOnce);
        const step = await db.write(async (tx) => {
          const missing: string[] = [];
          const made: RagUnitsTable[] = [];
          const blobIds: string[] = [];
          await runs.lockRuns(tx, ingestKind, some);
          for (const id of some) {
            const locked = await lockDocument(tx, id);
            if (locked === undefined || locked.knowledge_base_id !== knowledgeBaseId) {
              missing.push(id);
              continue;
            }
            made.push(...(await listUnitsOfDocument(tx, id)));
            blobIds.push(...(await erase(tx, locked)));
          }
          await blobs.release(tx, blobIds);
          return { missing, made };
        });
        notFound.push(...step.missing);
        units.push(...step.made);
      }
    } finally {
      await removeUnits(knowledgeBaseId, units);
    }
    return { deleted: ids.length - notFound.length, notFound };
  }

  async function removeUnits(knowledgeBaseId: string, units: readonly RagUnitsTable[]): Promise<void> {
    if (units.length === 0) return;
    for (const index of await listIndexes(db.read, knowledgeBaseId)) {
      const { indexId, dimensions } = index;
      const own = units.filter(({ index_id: other }) => other === indexId).map(({ unit }) => unit);
      if (dimensions === null || own.length === 0) continue;
      try {
        await (await vectors.open(indexId, dimensions)).remove(own);
      } catch (error) {
        // Searches look up live documents in the database, so leftovers do no harm; after a full disk the next start
        // removes them.
        if (!(error instanceof IndexFailure)) throw error;
        if (!error.isPassing) reconciliation.makeAgain(index, error);
      }
    }
  }

  return { remove, erase };
}
