import { Button, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { IconDownload, IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import type { CollectionTask } from '../../api/schema.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, Count } from '../../ui/figures.tsx';
import { readSort, writeSort } from '../../ui/list-search.ts';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { RunStatus } from '../../runs/run-status.tsx';
import { useScheduleInWords } from '../../runs/schedule-in-words.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { connectorsQuery, tasksQuery } from './collection-queries.ts';
import type { TasksSearch } from './collection-search.ts';

const route = getRouteApi('/shell/collection');
const statuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;

export function TasksPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const search = route.useSearch();
  const { page = 0, size = 20, ...filters } = search;
  const list = useQuery(tasksQuery({ ...filters, page, size } as QueryOf<'listCollectionTasks'>));
  const columns = useColumns();
  const change = (next: Partial<TasksSearch>): void =>
    void navigate({
      to: '/collection',
      search: (old: TasksSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const create = (
    <Button
      leftSection={<IconPlus size={16} />}
      disabled={!mayEdit}
      onClick={() => void navigate({ to: '/collection/new' })}
    >
      {t('collection.create')}
    </Button>
  );
  const isFiltered = search.keyword !== undefined || search.status !== undefined;
  return (
    <Page title={t('collection.title')} lead={t('collection.lead')} actions={create}>
      <Group gap="xs" component="search">
        <SearchField
          label={t('collection.search')}
          value={search.keyword}
          onChange={(keyword) => change({ keyword })}
        />
        <Select
          aria-label={t('datasets.columns.status')}
          placeholder={t('datasets.allStatuses')}
          data={statuses.map((status) => ({ value: status, label: t(`common.status.${status}`) }))}
          value={search.status ?? null}
          clearable
          onChange={(status) => change({ status: status ?? undefined })}
          w={150}
        />
      </Group>
      {list.isError ? (
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data?.content.length === 0 ? (
        isFiltered ? (
          <EmptyState
            icon={IconSearch}
            title={t('common.list.nothingFound')}
            action={
              <Button variant="light" onClick={() => change({ keyword: undefined, status: undefined })}>
                {t('common.actions.clearFilters')}
              </Button>
            }
          />
        ) : (
          <EmptyState
            icon={IconDownload}
            title={t('collection.empty.title')}
            lead={t('collection.empty.lead')}
            action={create}
          />
        )
      ) : (
        <Stack gap="xs">
          <DataTable
            label={t('collection.title')}
            columns={columns}
            rows={list.data?.content}
            idOf={({ id }) => id}
            sort={readSort(search.sort) ?? { field: 'createdAt', direction: 'desc' }}
            onSort={(sort) => change({ sort: writeSort(sort) })}
            onOpen={({ id }) => void navigate({ to: '/collection/$taskId', params: { taskId: id } })}
            stale={list.isPlaceholderData}
          />
          {list.data !== undefined && (
            <Pager {...list.data} onChange={(next) => change({ page: next.page || undefined, size: next.size })} />
          )}
        </Stack>
      )}
    </Page>
  );
}

function useColumns(): Column<CollectionTask>[] {
  const { t } = useTranslation();
  const connectors = useQuery(connectorsQuery);
  const inWords = useScheduleInWords();
  const nameOf = (type: string): string => connectors.data?.find((one) => one.type === type)?.name ?? type;
  return [
    {
      key: 'name',
      header: t('collection.columns.name'),
      sortField: 'name',
      cell: (task) => (
        <div>
          <Link to="/collection/$taskId" params={{ taskId: task.id }} className="plain-link">
            <Text span size="sm" fw={600} className="wraps">
              {task.name}
            </Text>
          </Link>
          <Text size="xs" c="dimmed" lineClamp={1}>
            {nameOf(task.connector.type)} → {task.targetDatasetName}
          </Text>
        </div>
      ),
    },
    {
      key: 'status',
      header: t('collection.columns.status'),
      width: 150,
      cell: (task) => (
        <Stack gap={4}>
          <RunStatus status={task.status} counts={task.counts} />
          {task.status === 'RUNNING' && <Progress value={task.progress} size="xs" animated aria-label={task.name} />}
        </Stack>
      ),
    },
    {
      key: 'in',
      header: t('runs.counts.in'),
      align: 'right',
      width: 90,
      from: 'sm',
      cell: ({ counts }) => <Count value={counts.in} />,
    },
    {
      key: 'kept',
      header: t('runs.counts.kept'),
      align: 'right',
      width: 90,
      from: 'sm',
      cell: ({ counts }) => <Count value={counts.kept} />,
    },
    {
      key: 'dropped',
      header: t('runs.counts.dropped'),
      align: 'right',
      width: 90,
      from: 'md',
      cell: ({ counts }) => <Count value={counts.dropped} />,
    },
    {
      key: 'failed',
      header: t('runs.counts.failed'),
      align: 'right',
      width: 90,
      from: 'md',
      cell: ({ counts }) => (
        <Text span inherit c={counts.failed > 0 ? 'red' : undefined}>
          <Count value={counts.failed} />
        </Text>
      ),
    },
    {
      key: 'schedule',
      header: t('runs.schedule.title'),
      width: 200,
      from: 'lg',
      cell: ({ schedule }) =>
        schedule === null ? (
          ''
        ) : (
          <Text span size="sm">
            {inWords(schedule.cron)}
          </Text>
        ),
    },
    {
      key: 'finished',
      header: t('collection.columns.finished'),
      width: 140,
      from: 'lg',
      cell: ({ finishedAt }) => <Ago time={finishedAt} />,
    },
    {
      key: 'createdAt',
      header: t('collection.columns.created'),
      sortField: 'createdAt',
      width: 140,
      from: 'lg',
      cell: ({ createdAt }) => <Ago time={createdAt} />,
    },
  ];
}
