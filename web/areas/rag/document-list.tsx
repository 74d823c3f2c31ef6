import { Button, Stack } from '@mantine/core';
import { IconFiles, IconSearch } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf, type QueryOf } from '../../api/client.ts';
import type { KnowledgeBase, RagDocument } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { readSort, writeSort } from '../../ui/list-search.ts';
import { notifyError } from '../../ui/notify.ts';
import { Pager } from '../../ui/pager.tsx';
import { DeleteDocuments } from './delete-documents.tsx';
import { DocumentFilters } from './document-filters.tsx';
import { DocumentSelection } from './document-selection.tsx';
import { useDocumentColumns } from './document-columns.tsx';
import { countUnderWay, documentsQuery, ragKeys } from './rag-queries.ts';
import type { DocumentsSearch } from './rag-search.ts';
import { RetryFailed } from './retry-failed-button.tsx';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/');
const noFilters = { status: undefined, keyword: undefined, rebuild: undefined };

/** The documents: filtered, sorted, by page, with actions on one or many. */
export function DocumentList({ knowledgeBaseId, base }: { knowledgeBaseId: string; base: KnowledgeBase | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const queryClient = useQueryClient();
  const search = route.useSearch();
  const { page = 0, size = 20, sort, ...filters } = search;
  const query = { page, size, ...filters, ...(sort === undefined ? {} : { sort }) } as QueryOf<'listRagDocuments'>;
  const list = useQuery(documentsQuery(knowledgeBaseId, query, base !== undefined && countUnderWay(base) > 0));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [deleting, setDeleting] = useState<readonly string[]>();
  const change = (next: Partial<DocumentsSearch>): void => {
    // The selection is kept on other pages, but not when filters may hide parts of it.
    if ('status' in next || 'keyword' in next || 'rebuild' in next) setChosen(new Set());
    void navigate({
      to: '/knowledge/$knowledgeBaseId',
      params: { knowledgeBaseId },
      search: (old: DocumentsSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  };
  const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ragKeys.base(knowledgeBaseId) });
  const retry = async ({ id }: RagDocument): Promise<void> => {
    try {
      await dataOf(
        api.POST('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/retry', {
          params: { path: { knowledgeBaseId, documentId: id } },
        }),
      );
    } catch (error) {
      notifyError(error);
    }
    await refresh();
  };
  const columns = useDocumentColumns({
    knowledgeBaseId,
    mayEdit,
    onRetry: (document) => void retry(document),
    onDelete: ({ id }) => setDeleting([id]),
  });
  const rows = list.data?.content;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  if (list.isError) return <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />;
  if (rows?.length === 0 && !isFiltered && page === 0)
    return (
      <EmptyState
        icon={IconFiles}
        title={t('knowledge.noDocuments.title')}
        lead={t(mayEdit ? 'knowledge.noDocuments.lead' : 'knowledge.noDocuments.viewerLead')}
      />
    );
  return (
    <>
      <DocumentFilters search={search} counts={base?.documentsByStatus ?? {}} onChange={change}>
        {mayEdit && <RetryFailed knowledgeBaseId={knowledgeBaseId} failed={base?.documentsByStatus.FAILED ?? 0} />}
      </DocumentFilters>
      {mayEdit && list.data !== undefined && (
        <DocumentSelection
          knowledgeBaseId={knowledgeBaseId}
          query={query}
          list={list.data}
          chosen={chosen}
          onChange={setChosen}
          onDelete={setDeleting}
        />
      )}
      {rows?.length === 0 ? (
        <EmptyState
          icon={IconSearch}
          title={t('common.list.nothingFound')}
          action={
            <Button variant="light" onClick={() => change(noFilters)}>
              {t(isFiltered ? 'common.actions.clearFilters' : 'common.list.first')}
            </Button>
          }
        />
      ) : (
        <Stack gap="xs">
          <DataTable
            label={t('knowledge.tabs.documents')}
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            sort={readSort(sort) ?? { field: 'createdAt', direction: 'desc' }}
            onSort={(next) => change({ sort: writeSort(next) })}
            onOpen={({ id }) =>
              void navigate({
                to: '/knowledge/$knowledgeBaseId/documents/$documentId',
                params: { knowledgeBaseId, documentId: id },
              })
            }
            nameOf={({ name }) => name}
            {...(mayEdit ? { selection: { ids: chosen, onChange: setChosen } } : {})}
            stale={list.isPlaceholderData}
          />
          {list.data !== undefined && (
            <Pager
              {...list.data}
              onChange={(next) =>
                change({ page: next.page || undefined, size: next.size === 20 ? undefined : next.size })
              }
            />
          )}
        </Stack>
      )}
      {deleting !== undefined && (
        <DeleteDocuments
          knowledgeBaseId={knowledgeBaseId}
          ids={deleting}
          name={deleting.length === 1 ? rows?.find(({ id }) => id === deleting[0])?.name : undefined}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => {
            setChosen(new Set());
            // The shown page may have been the last one and no longer exist.
            change({});
          }}
        />
      )}
    </>
  );
}
