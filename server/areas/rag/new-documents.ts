import { isoNow, type Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { toPage, type Page } from '../../kernel/page.ts';
import type { Runs } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import type { DocumentFields } from './document-fields.ts';
import { toDocument } from './document-views.ts';
import { ragErrors } from './errors.ts';
import { ingestKind } from './ingest-run.ts';
import { countDocumentsOf, insertDocuments } from './queries/documents.ts';
import { findKnowledgeBase, lockKnowledgeBase } from './queries/knowledge-bases.ts';
import { findSameContent } from './same-content.ts';
import type { RagDocumentView } from './schemas/documents.ts';

/** A file that becomes a document. */
export type NewDocument = Pick<RagDocumentsTable, 'name' | 'file_type' | 'size_bytes' | 'crc32' | 'blob_id'> &
  Partial<RagDocumentsTable>;

/** Adds documents to knowledge bases. */
export type NewDocuments = {
  /** Throws KNOWLEDGE_BASE_NOT_FOUND. */
  requireBase(knowledgeBaseId: string): Promise<void>;
  /** Stores documents and queues their runs, in one transaction; `adopt` keeps their blobs. */
  add(
    to: { knowledgeBaseId: string; by: string },
    documents: readonly { fields: DocumentFields; file: NewDocument }[],
    adopt: (tx: Tx) => Promise<void>,
  ): Promise<Page<RagDocumentView>>;
};

export function createNewDocuments({
  db,
  clock,
  blobs,
  runs,
  maxDocuments,
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  runs: Pick<Runs, 'enqueueFirst' | 'wake'>;
  /** Per knowledge base. */
  maxDocuments: number;
}): NewDocuments {
  function rowOf(
    { knowledgeBaseId, by }: { knowledgeBaseId: string; by: string },
    { tags, metadata }: DocumentFields,
    file: NewDocument,
  ): RagDocumentsTable {
    return {
      id: newId(),
      knowledge_base_id: knowledgeBaseId,
      dataset_id: null,
      file_id: null,
      dataset_version: null,
      tags: JSON.stringify(tags),
      metadata: JSON.stringify(metadata),
      status: 'PENDING',
      cause: null,
      cause_sentence: null,
      readings: 0,
      text_blob_id: null,
      pages: null,
      receipt: null,
      unit: null,
      chunks: 0,
      next_unit: null,
      next_chunks: 0,
      next_cause: null,
      next_cause_sentence: null,
      found_revision: 0,
      next_found_revision: 0,
      created_at: isoNow(clock),
      created_by: by,
      finished_at: null,
      ...file,
    };
  }

  return {
    async requireBase(knowledgeBaseId) {
      if ((await findKnowledgeBase(db.read, knowledgeBaseId)) === undefined)
        throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
    },
    async add(to, documents, adopt) {
      const { knowledgeBaseId, by } = to;
      const rows = documents.map(({ fields, file }) => rowOf(to, fields, file));
      await db.write(async (tx) => {
        if ((await lockKnowledgeBase(tx, knowledgeBaseId)) === undefined)
          throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
        const count = await countDocumentsOf(tx, knowledgeBaseId);
        if (count + rows.length > maxDocuments)
          throw ragErrors.RAG_TOO_MANY_DOCUMENTS({ count, more: rows.length, limit: maxDocuments });
        await adopt(tx);
        await insertDocuments(tx, rows);
        await runs.enqueueFirst(
          tx,
          rows.map(({ id }) => {
            return { area: ingestKind, taskId: id, owner: knowledgeBaseId, by, details: {}, datasets: [] };
          }),
        );
      });
      runs.wake();
      const same = await findSameContent({ db: db.read, blobs }, rows);
      return toPage(
        rows.map((row) => toDocument(row, false, same.get(row.id))),
        { page: 0, size: Math.max(1, rows.length) },
        rows.length,
      );
    },
  };
}
