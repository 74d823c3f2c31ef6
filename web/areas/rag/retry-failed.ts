import { api, dataOf } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';

const perCall = 1_000;

/** Processes all failed documents of a knowledge base again. Those that were deleted or begun by others meanwhile are skipped. */
export async function retryFailed(knowledgeBaseId: string): Promise<{ retried: number; skipped: number }> {
  let retried = 0;
  let skipped = 0;
  for (const documentId of await listFailed(knowledgeBaseId)) {
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

/** Reads all pages before the first retry: retried documents leave the list and would move the pages. */
async function listFailed(knowledgeBaseId: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let page = 0, last = false; !last; page += 1) {
    const { data } = await dataOf(
      api.GET('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents', {
        params: { path: { knowledgeBaseId }, query: { status: 'FAILED', page, size: perCall } },
      }),
    );
    for (const { id } of data.content) ids.add(id);
    last = data.last;
  }
  return ids;
}
