import { parseSort, toPage, type Page } from '../../kernel/page.ts';
import { reasonColumns } from '../../kernel/sentences/index.ts';
import type { Runs } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import type { VectorStore } from '../../storage/vectors/index.ts';
import { createDocumentRemoval } from './document-removal.ts';
import { toChunk, toDocument } from './document-views.ts';
import { ragErrors } from './errors.ts';
import type { WaitingForSpace } from './space-wait.ts';
import { waitsForSpace } from './sentences.ts';
import { ingestKind } from './ingest-run.ts';
import { listChunkPage } from './queries/chunks.ts';
import { findDocument, listDocuments, lockDocument, updateDocument, type DocumentOrder } from './queries/documents.ts';
import { findKnowledgeBase } from './queries/knowledge-bases.ts';
import { findRebuild } from './queries/rebuilds.ts';
import type { Reconciliation } from './reconciliation.ts';
import { findSameContent } from './same-content.ts';
import type { ChunksQuery, RagChunkView } from './schemas/chunks.ts';
import type {
  documentSortFields,
  DocumentsDeletionResult,
  RagDocumentsQuery,
  RagDocumentView,
} from './schemas/documents.ts';

const orderColumns: Readonly<Record<(typeof documentSortFields)[number], DocumentOrder['column']>> = {
  name: 'name',
  fileSize: 'size_bytes',
  status: 'status',
  chunkCount: 'chunks',
  createdAt: 'created_at',
};

export type RagDocuments = {
  list(knowledgeBaseId: string, query: RagDocumentsQuery): Promise<Page<RagDocumentView>>;
  /** Throws KNOWLEDGE_BASE_NOT_FOUND and RAG_DOCUMENT_NOT_FOUND. */
  find(knowledgeBaseId: string, id: string): Promise<RagDocumentsTable>;
  get(knowledgeBaseId: string, id: string): Promise<RagDocumentView>;
  /** Processes the document again: from its extracted text if there is one, else from the file. */
  retry(knowledgeBaseId: string, id: string, by: string): Promise<RagDocumentView>;
  /** Deletes a document. Once it resolves, searches no longer find it. */
  remove(knowledgeBaseId: string, id: string): Promise<void>;
  /** Deletes several documents. */
  removeMany(knowledgeBaseId: string, ids: readonly string[]): Promise<DocumentsDeletionResult>;
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
  waitingForSpace,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'release' | 'findAll'>;
  runs: Runs;
  vectors: VectorStore;
  reconciliation: Pick<Reconciliation, 'makeAgain'>;
  waitingForSpace: Pick<WaitingForSpace, 'has'>;
}): RagDocuments {
  const removal = createDocumentRemoval({ db, blobs, runs, vectors, reconciliation });

  async function queue(tx: Tx, { id, knowledge_base_id: owner }: RagDocumentsTable, by: string): Promise<void> {
    await runs.enqueue(tx, { area: ingestKind, taskId: id, owner, by, details: {}, datasets: [] });
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

  async function show(knowledgeBaseId: string, rows: readonly RagDocumentsTable[]): Promise<RagDocumentView[]> {
    const isRebuilt = (await findRebuild(db.read, knowledgeBaseId)) !== undefined;
    const same = await findSameContent({ db: db.read, blobs }, rows);
    return rows.map((row) => {
      const waits = row.cause === null && waitingForSpace.has(row.id) ? reasonColumns('cause', waitsForSpace) : {};
      return toDocument({ ...row, ...waits }, isRebuilt, same.get(row.id));
    });
  }

  async function showOne(row: RagDocumentsTable): Promise<RagDocumentView> {
    const [view] = await show(row.knowledge_base_id, [row]);
    if (view === undefined) throw ragErrors.RAG_DOCUMENT_NOT_FOUND({ id: row.id });
    return view;
  }

  return {
    erase: removal.erase,
    find,

    async list(knowledgeBaseId, { page, size, status, keyword, rebuild, sort }) {
      await requireBase(knowledgeBaseId);
      const filter = { knowledgeBaseId, status, keyword: keyword?.toLowerCase(), rebuild };
      const order = parseSort(orderColumns, sort, { column: 'created_at', direction: 'desc' });
      const { rows, total } = await listDocuments(db.read, filter, order, { page, size });
      return toPage(await show(knowledgeBaseId, rows), { page, size }, total);
    },

    get: async (knowledgeBaseId, id) => showOne(await find(knowledgeBaseId, id)),

    async retry(knowledgeBaseId, id, by) {
      await find(knowledgeBaseId, id);
      const row = await db.write(async (tx) => {
        const document = await lockDocument(tx, id);
        if (document === undefined) throw ragErrors.RAG_DOCUMENT_NOT_FOUND({ id });
        if (document.status === 'PENDING' || document.status === 'PROCESSING')
          throw ragErrors.RAG_DOCUMENT_BUSY({ id });
        // A text that was extracted is kept; only a failed extraction is repeated.
        const none = reasonColumns('cause', null);
        const values = { status: 'PENDING' as const, ...none, finished_at: null, readings: 0 };
        await updateDocument(tx, id, values);
        await queue(tx, document, by);
        return { ...document, ...values };
      });
      runs.wake();
      return showOne(row);
    },

    async remove(knowledgeBaseId, id) {
      await find(knowledgeBaseId, id);
      const { notFound } = await removal.remove(knowledgeBaseId, [id]);
      if (notFound.length > 0) throw ragErrors.RAG_DOCUMENT_NOT_FOUND({ id });
    },

    async removeMany(knowledgeBaseId, ids) {
      await requireBase(knowledgeBaseId);
      return removal.remove(knowledgeBaseId, [...new Set(ids)]);
    },

    async listChunks(knowledgeBaseId, id, { page, size }) {
      const { unit, chunks } = await find(knowledgeBaseId, id);
      const rows = unit === null ? [] : await listChunkPage(db.read, { knowledgeBaseId, unit }, { page, size });
      return toPage(rows.map(toChunk), { page, size }, unit === null ? 0 : chunks);
    },
  };
}
