import { storedReason } from '../../kernel/sentences/index.ts';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import { ChunksRepeatError, maxRepetition, type Chunking } from '../../chunking/chunking.ts';
import { ChunkingTimeout, type ChunkingThread } from '../../chunking/chunking-thread.ts';
import { chunkingOf } from '../../chunking/chunking-settings.ts';
import { ragErrors } from './errors.ts';
import { findDocument } from './queries/documents.ts';
import { findKnowledgeBase } from './queries/knowledge-bases.ts';
import type { ChunkingPreview, ChunkingPreviewResult } from './schemas/chunks.ts';
import { readStoredText, type StoredText } from './stored-text.ts';

export type ChunkingPreviews = {
  /** Cuts a given text, or a document's, and stores nothing. Throws RAG_TEXT_NOT_READ, RAG_PREVIEW_TOO_LONG. */
  preview(knowledgeBaseId: string, given: ChunkingPreview, signal?: AbortSignal): Promise<ChunkingPreviewResult>;
};

const shownChunks = 500;
/** Time limit of one preview: a user is waiting for it, and other previews wait behind it. */
const limitMs = 20_000;

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
    if (stored === undefined)
      throw ragErrors.RAG_TEXT_NOT_READ({ id, cause: storedReason('cause', document) ?? 'it was not read yet' });
    return stored;
  }

  return {
    async preview(knowledgeBaseId, { text, documentId, chunking: given }, signal) {
      const base = await findKnowledgeBase(db.read, knowledgeBaseId);
      if (base === undefined) throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
      if (text !== undefined && documentId !== undefined)
        throw invalid('text', parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'documentId' }));
      const chunking = chunkingOf(given, JSON.parse(base.chunking) as Chunking);
      if (text === undefined && documentId === undefined)
        throw invalid('text', parameterProblems.IS_REQUIRED_OR.reason({ other: 'documentId' }));
      const source =
        documentId === undefined
          ? { text: text ?? '', pages: [], syntax: 'MARKDOWN' as const }
          : await textOf(base.id, documentId);
      try {
        const options = { pages: source.pages, syntax: source.syntax, limit: shownChunks, signal, limitMs };
        const { chunks, total } = await thread.preview(source.text, chunking, options);
        return { chunks, totalChunks: total };
      } catch (error) {
        if (error instanceof ChunksRepeatError)
          throw invalid('chunking.overlap', parameterProblems.MUST_REPEAT_LESS.reason({ times: maxRepetition }));
        if (error instanceof ChunkingTimeout) throw ragErrors.RAG_PREVIEW_TOO_LONG({ seconds: limitMs / 1000 });
        throw error;
      }
    },
  };
}
