import { toPage, type Page } from '../../kernel/page.ts';
import type { Runs } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import { IndexFailure, type VectorStore } from '../../storage/vectors/index.ts';
import { chunkOf, viewOf } from './document-views.ts';
import { ragErrors } from './errors.ts';
import { ingestKind } from './ingest-run.ts';
import { deleteUnit, listChunkPage, listUnitsOfDocument } from './queries/chunks.ts';
import { deleteDocument, findDocument, listDocuments, lockDocument, updateDocument } from './queries/documents.ts';
import { listIndexes } from './queries/indexes.ts';
import { findKnowledgeBase } from './queries/knowledge-bases.ts';
import { findRebuild } from './queries/rebuilds.ts';
import type { Reconciliation } from './reconciliation.ts';
import type { ChunksQuery, RagChunkView, RagDocumentsQuery, RagDocumentView } from './schemas.ts';

export type RagDocuments = {
  list(knowledgeBaseId: string, query: RagDocumentsQuery): Promise<Page<RagDocumentView>>;
  /** Throws KNOWLEDGE_BASE_NOT_FOUND and RAG_DOCUMENT_NOT_FOUND. */
  find(knowledgeBaseId: string, id: string): Promise<RagDocumentsTable>;
  get(knowledgeBaseId: string, id: string): Promise<RagDocumentView>;
  /** Processes it again: from the text if it was read, else from the file. */
  retry(knowledgeBaseId: string, id: string, by: string): Promise<RagDocumentView>;
  /** When it resolves, searches find nothing of the document any more. */
  remove(knowledgeBaseId: string, id: string): Promise<void>;
  listChunks(knowledgeBaseId: string, id: string, query: ChunksQuery): Promise<Page<RagChunkView>>;
  /** Deletes the rows of a document; the caller releases the returned blobs, and removes its chunks from the index. */
  erase(tx: Tx, document: RagDocumentsTable): Promise<string[]>;
};

export function createRagDocuments({
  db,
  blobs,
  runs,
  vectors,
  reconciliation,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'release'>;
  runs: Runs;
  vectors: VectorStore;
  reconciliation: Pick<Reconciliation, 'makeAgain'>;
}): RagDocuments {
  async function queue(tx: Tx, documentId: string, by: string): Promise<void> {
    await runs.enqueue(tx, { area: ingestKind, taskId: documentId, by, details: {}, datasets: [] });
  }

  async function requireBase(knowledgeBaseId: string): Promise<void> {
    if ((await findKnowledgeBase(db.read, knowledgeBaseId)) === undefined)
      throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
  }

  async function find(knowledgeBaseId: string, id: string): Promise<RagDocumentsTable> {
    await requireBase(knowledgeBaseId);
    const row = await findDocument(db.read, id);
    if (row === undefined || row.knowledge_base_id !== knowledgeBaseId) throw ragErrors.RAG_DOCUMENT_NOT_FOUND({ id });
    return row;
  }

  /** Whether another index of the knowledge base is made. */
  async function isRebuilt(knowledgeBaseId: string): Promise<boolean> {
    return (await findRebuild(db.read, knowledgeBaseId)) !== undefined;
  }

  async function erase(tx: Tx, document: RagDocumentsTable): Promise<string[]> {
    const blobIds = [document.blob_id, ...(document.text_blob_id === null ? [] : [document.text_blob_id])];
    for (const { knowledge_base_id: knowledgeBaseId, unit } of await listUnitsOfDocument(tx, document.id))
      blobIds.push(...(await deleteUnit(tx, { knowledgeBaseId, unit })));
    await deleteDocument(tx, document.id);
    await runs.deleteRuns(tx, ingestKind, document.id);
    return blobIds;
  }

  return {
    erase,
    find,

    async list(knowledgeBaseId, { page, size, status, keyword, rebuild }) {
      await requireBase(knowledgeBaseId);
      const filter = { knowledgeBaseId, status, keyword: keyword?.toLowerCase(), rebuild };
      const { rows, total } = await listDocuments(db.read, filter, { page, size });
      const isBeingRebuilt = await isRebuilt(knowledgeBaseId);
      return toPage(
        rows.map((row) => viewOf(row, isBeingRebuilt)),
        { page, size },
        total,
      );
    },

    get: async (knowledgeBaseId, id) => viewOf(await find(knowledgeBaseId, id), await isRebuilt(knowledgeBaseId)),

    async retry(knowledgeBaseId, id, by) {
      await find(knowledgeBaseId, id);
      const row = await db.write(async (tx) => {
        const document = await lockDocument(tx, id);
        if (document === undefined) throw ragErrors.RAG_DOCUMENT_NOT_FOUND({ id });
        if (document.status === 'PENDING' || document.status === 'PROCESSING')
          throw ragErrors.RAG_DOCUMENT_BUSY({ id });
        // A document that was read once is read again only after its reading has failed.
        const values = { status: 'PENDING' as const, cause: null, finished_at: null, readings: 0 };
        await updateDocument(tx, id, values);
        await queue(tx, id, by);
        return { ...document, ...values };
      });
      runs.wake();
      return viewOf(row, await isRebuilt(knowledgeBaseId));
    },

    async remove(knowledgeBaseId, id) {
      await find(knowledgeBaseId, id);
      const { units, indexes } = await db.write(async (tx) => {
        const locked = await lockDocument(tx, id);
        if (locked === undefined) throw ragErrors.RAG_DOCUMENT_NOT_FOUND({ id });
        const made = await listUnitsOfDocument(tx, id);
        await blobs.release(tx, await erase(tx, locked));
        return { units: made, indexes: await listIndexes(tx, knowledgeBaseId) };
      });
      for (const index of indexes) {
        const { indexId, dimensions } = index;
        const own = units.filter(({ index_id: other }) => other === indexId).map(({ unit }) => unit);
        if (dimensions === null || own.length === 0) continue;
        try {
          await (await vectors.open(indexId, dimensions)).remove(own);
        } catch (error) {
          // Searches ask the database which documents there are; the next start removes what a full disk leaves.
          if (!(error instanceof IndexFailure)) throw error;
          if (!error.isPassing) reconciliation.makeAgain(index, error);
        }
      }
    },

    async listChunks(knowledgeBaseId, id, { page, size }) {
      const { unit, chunks } = await find(knowledgeBaseId, id);
      const rows = unit === null ? [] : await listChunkPage(db.read, { knowledgeBaseId, unit }, { page, size });
      return toPage(rows.map(chunkOf), { page, size }, unit === null ? 0 : chunks);
    },
  };
}
