import { Badge, Button, Group, Select, Stack, TagsInput, Text } from '@mantine/core';
import { IconDatabase, IconPlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import type { Dataset } from '../../api/schema.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, Bytes, Count } from '../../ui/figures.tsx';
import { readSort, writeSort } from '../../ui/list-search.ts';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { CreateDatasetDialog } from './create-dataset-dialog.tsx';
import { datasetsQuery, datasetTypesQuery, tagsQuery } from './dataset-queries.ts';
import type { DatasetSearch } from './dataset-search.ts';
import { InterruptedBadge } from './uploads/interrupted-uploads.tsx';
import { useTypeName } from './use-type-name.ts';

const route = getRouteApi('/shell/datasets');
const statuses = ['DRAFT', 'ACTIVE', 'INACTIVE', 'PROCESSING', 'ARCHIVED', 'PUBLISHED', 'DEPRECATED'] as const;

export function DatasetsPage() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = useNavigate();
  const change = (next: Partial<DatasetSearch>): void =>
    void navigate({
      to: '/datasets',
      search: (old: DatasetSearch) => dropEmpty({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const { new: isNew, page = 0, size = 20, ...filters } = search;
  const list = useQuery(datasetsQuery({ ...filters, page, size } as QueryOf<'listDatasets'>));
  const isFiltered =
    search.keyword !== undefined ||
    search.type !== undefined ||
    search.status !== undefined ||
    search.tags !== undefined;
  const rows = list.data?.content;
  const columns = useColumns();
  const mayEdit = useMayEdit();

  return (
    <Page
      title={t('datasets.title')}
      lead={t('datasets.lead')}
      actions={
        <Button
          disabled={!mayEdit}
          leftSection={<IconPlus size={16} />}
          onClick={() => change({ new: true, page: search.page })}
        >
          {t('datasets.create')}
        </Button>
      }
    >
      <Filters search={search} onChange={change} />
      {list.isError ? (
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      ) : rows?.length === 0 ? (
        isFiltered ? (
          <EmptyState
            icon={IconSearch}
            title={t('common.list.nothingFound')}
            action={
              <Button variant="light" onClick={() => void navigate({ to: '/datasets', search: {} })}>
                {t('common.actions.clearFilters')}
              </Button>
            }
          />
        ) : (
          <EmptyState
            icon={IconDatabase}
            title={t('datasets.empty.title')}
            lead={t('datasets.empty.lead')}
            action={
              <Button disabled={!mayEdit} onClick={() => change({ new: true })}>
                {t('datasets.create')}
              </Button>
            }
          />
        )
      ) : (
        <Stack gap="xs">
          <DataTable
            label={t('datasets.title')}
            columns={columns}
            rows={rows}
            idOf={(dataset) => dataset.id}
            sort={readSort(search.sort) ?? { field: 'createdAt', direction: 'desc' }}
            onSort={(sort) => change({ sort: writeSort(sort) })}
            onOpen={({ id }) => void navigate({ to: '/datasets/$datasetId', params: { datasetId: id } })}
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
      <CreateDatasetDialog
        opened={isNew === true && mayEdit}
        onClose={() => change({ new: undefined, page: search.page })}
      />
    </Page>
  );
}

function useColumns(): Column<Dataset>[] {
  const { t } = useTranslation();
  const typeName = useTypeName();
  return [
    {
      key: 'name',
      header: t('datasets.columns.name'),
      sortField: 'name',
      cell: (dataset) => (
        <div className="cell-name">
          <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }} className="plain-link">
            <Text span size="sm" fw={600}>
              {dataset.name}
            </Text>
          </Link>
          <InterruptedBadge datasetId={dataset.id} />
          {dataset.description !== '' && (
            <Text size="xs" c="dimmed" lineClamp={1} title={dataset.description}>
              {dataset.description}
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'type',
      header: t('datasets.columns.type'),
      cell: (dataset) => typeName(dataset.type),
      from: 'md',
      width: 110,
    },
    {
      key: 'status',
      header: t('datasets.columns.status'),
      cell: (dataset) => <StatusBadge status={dataset.status} />,
      width: 130,
    },
    {
      key: 'files',
      header: t('datasets.columns.files'),
      sortField: 'fileCount',
      align: 'right',
      cell: (dataset) => <Count value={dataset.fileCount} />,
      width: 90,
      from: 'xs',
    },
    {
      key: 'size',
      header: t('datasets.columns.size'),
      sortField: 'totalSize',
      align: 'right',
      cell: (dataset) => <Bytes value={dataset.totalSize} />,
      width: 100,
    },
    {
      key: 'tags',
      header: t('datasets.columns.tags'),
      from: 'lg',
      cell: (dataset) => (
        <Group gap={4}>
          {dataset.tags.map((tag) => (
            <Badge key={tag.id} variant="dot" color={tag.color} className="status">
              {tag.name}
            </Badge>
          ))}
        </Group>
      ),
    },
    {
      key: 'updatedAt',
      header: t('datasets.columns.updatedAt'),
      sortField: 'updatedAt',
      cell: (dataset) => <Ago time={dataset.updatedAt} />,
      from: 'sm',
      width: 140,
    },
    {
      key: 'createdBy',
      header: t('datasets.columns.createdBy'),
      cell: (dataset) => dataset.createdBy,
      from: 'lg',
      width: 110,
    },
  ];
}

function Filters({ search, onChange }: { search: DatasetSearch; onChange: (next: Partial<DatasetSearch>) => void }) {
  const { t } = useTranslation();
  const typeName = useTypeName();
  const types = useQuery(datasetTypesQuery);
  const tags = useQuery(tagsQuery);
  return (
    <Group gap="xs" component="search">
      <SearchField label={t('datasets.search')} value={search.keyword} onChange={(keyword) => onChange({ keyword })} />
      <Select
        aria-label={t('datasets.columns.type')}
        placeholder={t('datasets.allTypes')}
        data={(types.data ?? []).map((type) => ({ value: type.code, label: typeName(type) }))}
        value={search.type ?? null}
        clearable
        onChange={(type) => onChange({ type: type ?? undefined })}
        w={150}
      />
      <Select
        aria-label={t('datasets.columns.status')}
        placeholder={t('datasets.allStatuses')}
        data={statuses.map((status) => ({ value: status, label: t(`common.status.${status}`) }))}
        value={search.status ?? null}
        clearable
        onChange={(status) => onChange({ status: status ?? undefined })}
        w={150}
      />
      <TagsInput
        aria-label={t('datasets.columns.tags')}
        placeholder={search.tags === undefined ? t('datasets.anyTags') : ''}
        data={(tags.data ?? []).map(({ name }) => name)}
        value={search.tags?.split(',') ?? []}
        onChange={(chosen) => onChange({ tags: chosen.join(',') || undefined })}
        clearable
        w={220}
      />
    </Group>
  );
}

function dropEmpty<T extends object>(search: T): T {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as T;
}
