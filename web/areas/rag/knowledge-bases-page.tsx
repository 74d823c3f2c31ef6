import { Button, Stack, Text } from '@mantine/core';
import { IconBooks, IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import type { KnowledgeBase } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, Count } from '../../ui/figures.tsx';
import { readSort, writeSort } from '../../ui/list-search.ts';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { BaseState } from './knowledge-base-state.tsx';
import { CreateBaseDialog } from './create-knowledge-base-dialog.tsx';
import { useModelName } from './embedding-model-select.tsx';
import { basesQuery } from './rag-queries.ts';
import type { BasesSearch } from './rag-search.ts';

const route = getRouteApi('/shell/knowledge');

/** All knowledge bases: current activity, model and size. */
export function KnowledgeBasesPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const search = route.useSearch();
  const { new: isNew, page = 0, size = 20, ...filters } = search;
  const list = useQuery(basesQuery({ ...filters, page, size } as QueryOf<'listKnowledgeBases'>));
  const columns = useColumns();
  const change = (next: Partial<BasesSearch>): void =>
    void navigate({
      to: '/knowledge',
      search: (old: BasesSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const create = mayEdit && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: true, page: search.page })}>
      {t('knowledge.create')}
    </Button>
  );
  const isEmpty = list.data?.content.length === 0;
  const isFiltered = search.keyword !== undefined;
  return (
    <Page title={t('knowledge.title')} lead={t('knowledge.lead')} actions={create}>
      {(!isEmpty || isFiltered) && (
        <search>
          <SearchField
            label={t('knowledge.searchBases')}
            value={search.keyword}
            onChange={(keyword) => change({ keyword })}
          />
        </search>
      )}
      {list.isError ? (
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      ) : isEmpty && isFiltered ? (
        <EmptyState
          icon={IconSearch}
          title={t('common.list.nothingFound')}
          action={
            <Button variant="light" onClick={() => void navigate({ to: '/knowledge', search: {} })}>
              {t('common.actions.clearFilters')}
            </Button>
          }
        />
      ) : isEmpty ? (
        <EmptyState
          icon={IconBooks}
          title={t('knowledge.empty.title')}
          lead={t(mayEdit ? 'knowledge.empty.lead' : 'knowledge.empty.viewerLead')}
          action={create}
        />
      ) : (
        <Stack gap="xs">
          <DataTable
            label={t('knowledge.title')}
            columns={columns}
            rows={list.data?.content}
            idOf={({ id }) => id}
            sort={readSort(search.sort) ?? { field: 'createdAt', direction: 'desc' }}
            onSort={(sort) => change({ sort: writeSort(sort) })}
            onOpen={({ id }) => void navigate({ to: '/knowledge/$knowledgeBaseId', params: { knowledgeBaseId: id } })}
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
      <CreateBaseDialog
        opened={isNew === true && mayEdit}
        onClose={() => change({ new: undefined, page: search.page })}
      />
    </Page>
  );
}

function useColumns(): Column<KnowledgeBase>[] {
  const { t } = useTranslation();
  const nameOf = useModelName();
  return [
    {
      key: 'name',
      header: t('knowledge.columns.name'),
      sortField: 'name',
      cell: ({ id, name, description }) => (
        <div className="cell-name">
          <Link to="/knowledge/$knowledgeBaseId" params={{ knowledgeBaseId: id }} className="plain-link">
            <Text span size="sm" fw={600} className="wraps">
              {name}
            </Text>
          </Link>
          {description !== '' && (
            <Text size="xs" c="dimmed" lineClamp={1} title={description}>
              {description}
            </Text>
          )}
        </div>
      ),
    },
    { key: 'state', header: t('knowledge.columns.state'), width: 200, cell: (base) => <BaseState base={base} /> },
    {
      key: 'documents',
      header: t('knowledge.columns.documents'),
      align: 'right',
      width: 110,
      from: 'xs',
      cell: ({ documentCount }) => <Count value={documentCount} />,
    },
    {
      key: 'chunks',
      header: t('knowledge.columns.chunks'),
      align: 'right',
      width: 100,
      from: 'sm',
      cell: ({ chunkCount }) => <Count value={chunkCount} />,
    },
    {
      key: 'model',
      header: t('knowledge.columns.model'),
      from: 'md',
      width: 200,
      cell: ({ embeddingModel }) => (
        <Text size="sm" className="wraps">
          {nameOf(embeddingModel)}
        </Text>
      ),
    },
    {
      key: 'createdAt',
      header: t('knowledge.columns.createdAt'),
      sortField: 'createdAt',
      from: 'md',
      width: 150,
      cell: ({ createdAt }) => <Ago time={createdAt} />,
    },
    { key: 'by', header: t('knowledge.columns.by'), from: 'lg', width: 110, cell: ({ createdBy }) => createdBy },
  ];
}
