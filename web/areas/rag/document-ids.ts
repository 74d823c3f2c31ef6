import { api, dataOf, type QueryOf } from '../../api/client.ts';

/** Limit of a page of the list, and of a call that deletes. */
const perCall = 1_000;

/** The ids of all documents that match the filters, on all pages. */
export async function listDocumentIds(
  knowledgeBaseId: string,
  filters: QueryOf<'listRagDocuments'>,
): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let page = 0, last = false; !last; page += 1) {
    const { data } = await dataOf(
      api.GET('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents', {
        // Oldest first, so that documents added meanwhile do not shift the pages.
        params: { path: { knowledgeBaseId }, query: { ...filters, sort: 'createdAt,asc', page, size: perCall } },
      }),
    );
    for (const { id } of data.content) ids.add(id);
    last = data.last;
  }
  return ids;
}

/** Deletes documents; returns how many, without those that someone else has deleted meanwhile. */
export async function deleteDocuments(knowledgeBaseId: string, ids: readonly string[]): Promise<number> {
  let deleted = 0;
  for (let from = 0; from < ids.length; from += perCall) {
    const { data } = await dataOf(
      api.POST('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents/batch-delete', {
        params: { path: { knowledgeBaseId } },
        body: { documentIds: ids.slice(from, from + perCall) },
      }),
    );
    deleted += data.deleted;
  }
  return deleted;
}
