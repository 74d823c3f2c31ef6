import { ActionIcon, Anchor, Breadcrumbs, Button, Group, Select, Stack } from '@mantine/core';
import { IconArrowUp, IconFolderOpen, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { readSort, writeSort } from '../../ui/list-search.ts';
import { Pager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { datasetQuery, filesQuery } from './dataset-queries.ts';
import { entriesOf, useEntryColumns } from './entry-columns.tsx';
import { FileDialogs, type FileDialog } from './file-dialogs.tsx';
import type { FilesSearch } from './file-search.ts';
import { FolderActions } from './folder-actions.tsx';

const route = getRouteApi('/shell/datasets/$datasetId/files');
const statuses = ['COMPLETED', 'PROCESSING', 'ERROR'] as const;

/** A dataset's files as folders, or as one list when they are filtered. */
export function DatasetFiles() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<FileDialog>();
  const { path, page = 0, size = 50, version, ...filters } = search;
  // With a filter, all files below the folder are searched; without one, one level is shown.
  const asTree = filters.status === undefined && filters.fileType === undefined;
  const query = {
    ...filters,
    page,
    size,
    version,
    prefix: path,
    directories: asTree || undefined,
  } as QueryOf<'listFiles'>;
  const list = useQuery(filesQuery(datasetId, query));
  const { data: dataset } = useQuery(datasetQuery(datasetId));

  const change = (next: Partial<FilesSearch>): void => {
    setSelected(new Set());
    void navigate({
      to: '/datasets/$datasetId/files',
      params: { datasetId },
      search: (old: FilesSearch) => ({ ...old, page: undefined, ...next }),
    });
  };
  const entries = list.data === undefined ? undefined : entriesOf(list.data.directories, list.data.content);
  const columns = useEntryColumns({ datasetId, version, asTree, onDialog: setDialog });
  const isCurrent = version === undefined || version === dataset?.version;
  const mayEdit = useMayEdit() && isCurrent;
  const isFiltered = search.keyword !== undefined || !asTree;
  const selection = [...selected];

  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <PathTrail path={path} onOpen={(next) => change({ path: next, keyword: undefined })} />
        <FolderActions
          datasetId={datasetId}
          version={version}
          path={path}
          selection={selection}
          mayEdit={mayEdit}
          onDialog={setDialog}
        />
      </Group>
      <Group gap="xs">
        <SearchField
          label={t('datasets.files.search')}
          value={search.keyword}
          onChange={(keyword) => change({ keyword })}
        />
        <Select
          aria-label={t('datasets.files.columns.status')}
          placeholder={t('datasets.allStatuses')}
          data={statuses.map((status) => ({ value: status, label: t(`common.status.${status}`) }))}
          value={search.status ?? null}
          clearable
          onChange={(status) => change({ status: status ?? undefined })}
          w={150}
        />
        {isFiltered && (
          <Button
            variant="subtle"
            size="xs"
            onClick={() => change({ keyword: undefined, status: undefined, fileType: undefined })}
          >
            {t('common.actions.clearFilters')}
          </Button>
        )}
      </Group>
      {list.isError ? (
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      ) : entries?.length === 0 ? (
        <EmptyState
          icon={isFiltered ? IconSearch : IconFolderOpen}
          title={isFiltered ? t('common.list.nothingFound') : t('datasets.files.emptyFolder')}
          action={
            mayEdit && !isFiltered ? (
              <Button
                onClick={() =>
                  void navigate({ to: '/datasets/$datasetId/upload', params: { datasetId }, search: { prefix: path } })
                }
              >
                {t('datasets.files.uploadHere')}
              </Button>
            ) : undefined
          }
        />
      ) : (
        <Stack gap="xs">
          <DataTable
            label={t('datasets.overview.files')}
            columns={columns}
            rows={entries}
            idOf={(entry) => (entry.kind === 'folder' ? `folder ${entry.folder.path}` : entry.file.id)}
            nameOf={(entry) => (entry.kind === 'folder' ? entry.folder.name : entry.file.fileName)}
            selection={{
              ids: selected,
              onChange: (ids) => setSelected(new Set([...ids].filter((id) => !id.startsWith('folder ')))),
            }}
            sort={readSort(search.sort) ?? { field: 'filePath', direction: 'asc' }}
            onSort={(sort) => change({ sort: writeSort(sort) })}
            onOpen={(entry) => {
              if (entry.kind === 'folder') change({ path: entry.folder.path, keyword: undefined });
              else
                void navigate({
                  to: '/datasets/$datasetId/files/$fileId',
                  params: { datasetId, fileId: entry.file.id },
                  search: { version },
                });
            }}
            stale={list.isPlaceholderData}
            expectedRows={8}
          />
          {list.data !== undefined && (
            <Pager {...list.data} onChange={(next) => change({ page: next.page || undefined, size: next.size })} />
          )}
        </Stack>
      )}
      <FileDialogs
        datasetId={datasetId}
        version={dataset?.version ?? 1}
        path={path}
        dialog={dialog}
        nameOf={(fileId) => list.data?.content.find(({ id }) => id === fileId)?.filePath}
        onClose={() => setDialog(undefined)}
        onDone={() => setSelected(new Set())}
        onPurged={({ id }) =>
          void navigate({ to: '/datasets/$datasetId/versions/purges', params: { datasetId }, search: { report: id } })
        }
      />
    </Stack>
  );
}

function PathTrail({ path, onOpen }: { path: string | undefined; onOpen: (path: string | undefined) => void }) {
  const { t } = useTranslation();
  const segments = path?.split('/') ?? [];
  return (
    <Group gap="xs" className="path-trail">
      {path !== undefined && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('common.actions.back')}
          onClick={() => onOpen(segments.slice(0, -1).join('/') || undefined)}
        >
          <IconArrowUp size={16} />
        </ActionIcon>
      )}
      <Breadcrumbs fz="sm" separatorMargin={4}>
        <Anchor component="button" size="sm" onClick={() => onOpen(undefined)}>
          {t('datasets.files.root')}
        </Anchor>
        {segments.map((segment, index) => (
          <Anchor
            key={segments.slice(0, index + 1).join('/')}
            component="button"
            size="sm"
            onClick={() => onOpen(segments.slice(0, index + 1).join('/'))}
          >
            {segment}
          </Anchor>
        ))}
      </Breadcrumbs>
    </Group>
  );
}
