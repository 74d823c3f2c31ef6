import { invalid } from '../../kernel/errors.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { Chunking } from '../../chunking/chunking.ts';
import type { ChunkingThread } from '../../chunking/chunking-thread.ts';
import { chunkingOf } from '../../chunking/chunking-settings.ts';
import { ragErrors } from './errors.ts';
import { findDocument } from './queries/documents.ts';
import { findKnowledgeBase } from './queries/knowledge-bases.ts';
import type { ChunkingPreview, ChunkingPreviewResult } from './schemas.ts';
import { readStoredText, type StoredText } from './stored-text.ts';

export type ChunkingPreviews = {
  /** Cuts a text, or that of a document, and stores nothing. Throws RAG_TEXT_NOT_READ. */
  preview(knowledgeBaseId: string, given: ChunkingPreview): Promise<ChunkingPreviewResult>;
};

const shownChunks = 500;

export function createChunkingPreviews({
  db,
  blobs,
  chunking: thread,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'open'>;
  chunking: ChunkingThread;
}): ChunkingPreviews {
  async function textOf(knowledgeBaseId: string, id: string): Promise<StoredText> {
    const document = await findDocument(db.read, id);
    if (document === undefined || document.knowledge_base_id !== knowledgeBaseId)
      throw ragErrors.RAG_DOCUMENT_NOT_FOUND({ id });
    const stored = await readStoredText(blobs, document);
    if (stored === undefined) throw ragErrors.RAG_TEXT_NOT_READ({ id, cause: document.cause ?? 'it was not read yet' });
    return stored;
  }

  return {
    async preview(knowledgeBaseId, { text, documentId, chunking: given }) {
      const base = await findKnowledgeBase(db.read, knowledgeBaseId);
      if (base === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
      if (text !== undefined && documentId !== undefined)
        throw invalid('text', 'must not be given together with documentId');
      const chunking = chunkingOf(given, JSON.parse(base.chunking) as Chunking);
      if (text === undefined && documentId === undefined)
        throw invalid('text', 'is required, or documentId in its place');
      const source =
        documentId === undefined
          ? { text: text ?? '', pages: [], syntax: 'MARKDOWN' as const }
          : await textOf(base.id, documentId);
      const chunks = await thread.chunk(source.text, chunking, source.pages, source.syntax);
      return { chunks: chunks.slice(0, shownChunks), totalChunks: chunks.length };
    },
  };
}
