import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf, type QueryOf } from '../../api/client.ts';
import type { KnowledgeBase } from '../../api/schema.ts';

const busyMs = 1_000;

export const ragKeys = {
  all: ['rag'] as const,
  bases: ['rag', 'bases'] as const,
  base: (id: string) => ['rag', 'bases', 'one', id] as const,
};

export const basesQuery = (query: QueryOf<'listKnowledgeBases'>) =>
  queryOptions({
    queryKey: [...ragKeys.bases, 'list', query],
    queryFn: async () => (await dataOf(api.GET('/api/v1/rag/knowledge-bases', { params: { query } }))).data,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.content.some(isBusy) === true ? 2 * busyMs : false),
  });

export const baseQuery = (id: string) =>
  queryOptions({
    queryKey: ragKeys.base(id),
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/rag/knowledge-bases/{knowledgeBaseId}', { params: { path: { knowledgeBaseId: id } } }),
        )
      ).data,
    refetchInterval: ({ state }) => (state.data !== undefined && isBusy(state.data) ? busyMs : false),
  });

/** The limits of knowledge bases and documents: settings of the service, which change only at a restart. */
export const limitsQuery = queryOptions({
  queryKey: [...ragKeys.all, 'limits'],
  queryFn: async () => (await dataOf(api.GET('/api/v1/rag/limits'))).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** The documents of a knowledge base; `isFollowed` polls while documents are processed. */
export const documentsQuery = (id: string, query: QueryOf<'listRagDocuments'>, isFollowed = false) =>
  queryOptions({
    queryKey: [...ragKeys.base(id), 'documents', query],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents', {
            params: { path: { knowledgeBaseId: id }, query },
          }),
        )
      ).data,
    placeholderData: keepPreviousData,
    refetchInterval: isFollowed ? busyMs : false,
  });

export const documentQuery = (knowledgeBaseId: string, documentId: string) =>
  queryOptions({
    queryKey: [...ragKeys.base(knowledgeBaseId), 'document', documentId],
    queryFn: async () =>
      (
        await dataOf(
          api.GET('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents/{documentId}', {
            params: { path: { knowledgeBaseId, documentId } },
          }),
        )
      ).data,
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? busyMs : false),
  });

/** Number of documents that have not finished yet. */
export function countUnderWay({ documentsByStatus }: Pick<KnowledgeBase, 'documentsByStatus'>): number {
  return (documentsByStatus.PENDING ?? 0) + (documentsByStatus.PROCESSING ?? 0);
}

export function isUnderWay({ status }: { status: string }): boolean {
  return status === 'PENDING' || status === 'PROCESSING';
}

function isBusy(base: KnowledgeBase): boolean {
  return countUnderWay(base) > 0 || base.status === 'BUILDING' || base.rebuild?.status === 'BUILDING';
}
