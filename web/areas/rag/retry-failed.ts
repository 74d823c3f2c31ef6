import { api, dataOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { listDocumentIds } from './document-ids.ts';

/** Processes all failed documents of a knowledge base again. Documents that were deleted or restarted meanwhile are skipped. */
export async function retryFailed(knowledgeBaseId: string): Promise<{ retried: number; skipped: number }> {
  let retried = 0;
  let skipped = 0;
  // All pages are read before the first retry: retried documents leave the list and would shift the pages.
  for (const documentId of await listDocumentIds(knowledgeBaseId, { status: 'FAILED' })) {
    try {
      await dataOf(
        api.POST('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/retry', {
          params: { path: { knowledgeBaseId, documentId } },
        }),
      );
      retried += 1;
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 409)) throw error;
      skipped += 1;
    }
  }
  return { retried, skipped };
}
