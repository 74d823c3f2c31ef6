import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CollectionState } from '../../api/schema.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, Bytes } from '../../ui/figures.tsx';
import { Pager } from '../../ui/pager.tsx';
import { stateQuery } from './collection-queries.ts';

/** The state that later runs compare the source to; renders nothing if there is none. */
export function FetchedItems({ taskId }: { taskId: string }) {
  const { t } = useTranslation();
  const [at, setAt] = useState({ page: 0, size: 20 });
  const state = useQuery(stateQuery(taskId, at));
  const columns: Column<CollectionState>[] = [
    {
      key: 'name',
      header: t('collection.item.name'),
      cell: ({ name }) => (
        <Text size="sm" className="wraps">
          {name}
        </Text>
      ),
    },
    {
      key: 'path',
      header: t('collection.item.path'),
      from: 'sm',
      cell: ({ path }) => (
        <Text size="sm" className="wraps">
          {path}
        </Text>
      ),
    },
    {
      key: 'size',
      header: t('collection.item.size'),
      align: 'right',
      width: 100,
      from: 'md',
      cell: ({ sizeBytes }) => <Bytes value={sizeBytes} />,
    },
    {
      key: 'fetchedAt',
      header: t('collection.item.fetchedAt'),
      width: 140,
      from: 'md',
      cell: ({ fetchedAt }) => <Ago time={fetchedAt} />,
    },
  ];
  if (state.isError) return <ErrorPanel error={state.error} onRetry={() => void state.refetch()} />;
  if (state.data?.totalElements === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {t('collection.task.fetched')}
      </Title>
      <DataTable
        label={t('collection.task.fetched')}
        columns={columns}
        rows={state.data?.content}
        idOf={({ name, path }) => `${name} ${path}`}
        expectedRows={2}
      />
      {state.data !== undefined && state.data.totalPages > 1 && <Pager {...state.data} onChange={setAt} />}
    </Stack>
  );
}
