import {
  ActionIcon,
  Alert,
  Anchor,
  Breadcrumbs,
  Button,
  Group,
  Menu,
  Select,
  Stack,
  Text,
  Tooltip,
} from '@mantine/core';
import {
  IconArrowUp,
  IconDots,
  IconDownload,
  IconFile,
  IconFolder,
  IconFolderOpen,
  IconFolderPlus,
  IconHistory,
  IconPencil,
  IconSearch,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DatasetFile, DatasetFileQuery, Folder } from '../../api/types.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, Bytes } from '../../ui/figures.tsx';
import { readSort, writeSort } from '../../ui/list-search.ts';
import { Pager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { useMayEdit } from '../auth/use-role.ts';
import { archiveUrl, datasetQuery, downloadUrl, filesQuery } from './dataset-queries.ts';
import { DeleteFilesDialog, DeleteFolderDialog, NewFolderDialog, RenameFileDialog } from './file-dialogs.tsx';
import type { FilesSearch } from './file-search.ts';

const route = getRouteApi('/shell/datasets/$datasetId/files');
const statuses = ['COMPLETED', 'PROCESSING', 'ERROR'] as const;

type Entry = { kind: 'folder'; folder: Folder } | { kind: 'file'; file: DatasetFile };
type Dialog =
  | { kind: 'new-folder' }
  | { kind: 'rename'; file: DatasetFile }
  | { kind: 'delete'; files: readonly string[] }
  | { kind: 'delete-folder'; folder: Folder };

/** A dataset's files as folders, or as one list when they are filtered. */
export function DatasetFiles() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<Dialog>();
  const { path, page = 0, size = 50, version, ...filters } = search;
  // Status and type are looked for below the folder; without them one level is shown at a time.
  const asTree = filters.status === undefined && filters.fileType === undefined;
  const query = { ...filters, page, size, version, prefix: path, directories: asTree || undefined } as DatasetFileQuery;
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
  const columns = useColumns({ datasetId, version, asTree, onDialog: setDialog });
  const isCurrent = version === undefined || version === dataset?.version;
  const mayEdit = useMayEdit() && isCurrent;
  const isFiltered = search.keyword !== undefined || !asTree;
  const selection = [...selected];

  return (
    <Stack gap="sm">
      {!isCurrent && (
        <Alert color="blue" icon={<IconHistory />} title={t('datasets.files.olderVersion', { version })}>
          <Button size="compact-sm" variant="light" onClick={() => change({ version: undefined })}>
            {t('datasets.files.toCurrent')}
          </Button>
        </Alert>
      )}
      <Group justify="space-between" gap="sm">
        <PathTrail path={path} onOpen={(next) => change({ path: next, keyword: undefined })} />
        <Group gap="xs">
          {selection.length > 0 && (
            <>
              <Text size="sm">{t('common.list.selected', { count: selection.length })}</Text>
              <Button
                component="a"
                size="xs"
                variant="default"
                href={archiveUrl(datasetId, { fileIds: selection, version })}
                leftSection={<IconDownload size={14} />}
              >
                {t('datasets.files.downloadSelected')}
              </Button>
              {mayEdit && (
                <Button
                  size="xs"
                  color="red"
                  variant="light"
                  leftSection={<IconTrash size={14} />}
                  onClick={() => setDialog({ kind: 'delete', files: selection })}
                >
                  {t('datasets.files.deleteSelected')}
                </Button>
              )}
            </>
          )}
          {path !== undefined && (
            <Tooltip label={t('datasets.files.downloadFolder')}>
              <ActionIcon
                component="a"
                variant="default"
                size="lg"
                href={archiveUrl(datasetId, { prefix: path, version })}
                aria-label={t('datasets.files.downloadFolder')}
              >
                <IconDownload size={16} />
              </ActionIcon>
            </Tooltip>
          )}
          {mayEdit && (
            <>
              <Tooltip label={t('datasets.files.newFolder')}>
                <ActionIcon
                  variant="default"
                  size="lg"
                  aria-label={t('datasets.files.newFolder')}
                  onClick={() => setDialog({ kind: 'new-folder' })}
                >
                  <IconFolderPlus size={16} />
                </ActionIcon>
              </Tooltip>
              <Button
                size="xs"
                variant="light"
                leftSection={<IconUpload size={14} />}
                onClick={() =>
                  void navigate({ to: '/datasets/$datasetId/upload', params: { datasetId }, search: { prefix: path } })
                }
              >
                {t('datasets.files.uploadHere')}
              </Button>
            </>
          )}
        </Group>
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
      <Dialogs
        datasetId={datasetId}
        version={dataset?.version ?? 1}
        path={path}
        dialog={dialog}
        onClose={() => setDialog(undefined)}
        onDone={() => setSelected(new Set())}
      />
    </Stack>
  );
}

function entriesOf(folders: readonly Folder[] | undefined, files: readonly DatasetFile[]): Entry[] {
  return [
    ...(folders ?? []).map((folder): Entry => ({ kind: 'folder', folder })),
    ...files.map((file): Entry => ({ kind: 'file', file })),
  ];
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

function useColumns(props: {
  datasetId: string;
  version: number | undefined;
  asTree: boolean;
  onDialog: (dialog: Dialog) => void;
}): Column<Entry>[] {
  const { t } = useTranslation();
  const { datasetId, version, asTree, onDialog } = props;
  return [
    {
      key: 'name',
      header: t('datasets.files.columns.name'),
      sortField: 'filePath',
      cell: (entry) => <NameCell entry={entry} datasetId={datasetId} version={version} asTree={asTree} />,
    },
    {
      key: 'size',
      header: t('datasets.files.columns.size'),
      sortField: 'fileSize',
      align: 'right',
      width: 100,
      cell: (entry) => <Bytes value={entry.kind === 'folder' ? entry.folder.totalSize : entry.file.fileSize} />,
    },
    {
      key: 'type',
      header: t('datasets.files.columns.type'),
      sortField: 'fileType',
      width: 90,
      from: 'sm',
      cell: (entry) => (entry.kind === 'folder' ? '' : entry.file.fileType),
    },
    {
      key: 'status',
      header: t('datasets.files.columns.status'),
      sortField: 'status',
      width: 130,
      from: 'sm',
      cell: (entry) =>
        entry.kind === 'folder' ? (
          <Text size="xs" c="dimmed">
            {t('datasets.files.folderCount', { count: entry.folder.fileCount })}
          </Text>
        ) : (
          <StatusBadge status={entry.file.status} />
        ),
    },
    {
      key: 'uploadTime',
      header: t('datasets.files.columns.uploadTime'),
      sortField: 'uploadTime',
      width: 140,
      from: 'md',
      cell: (entry) => (entry.kind === 'folder' ? '' : <Ago time={entry.file.uploadTime} />),
    },
    {
      key: 'uploadedBy',
      header: t('datasets.files.columns.uploadedBy'),
      width: 110,
      from: 'lg',
      cell: (entry) => (entry.kind === 'folder' ? '' : entry.file.uploadedBy),
    },
    {
      key: 'actions',
      header: '',
      width: 44,
      cell: (entry) => <EntryMenu entry={entry} datasetId={datasetId} version={version} onDialog={onDialog} />,
    },
  ];
}

function NameCell(props: { entry: Entry; datasetId: string; version: number | undefined; asTree: boolean }) {
  const { t } = useTranslation();
  const { entry, datasetId, version, asTree } = props;
  if (entry.kind === 'folder')
    return (
      <Group gap="xs" wrap="nowrap">
        <IconFolder size={17} aria-hidden />
        <Text size="sm" fw={600} className="wraps">
          {entry.folder.name}
        </Text>
      </Group>
    );
  const { file } = entry;
  return (
    <Group gap="xs" wrap="nowrap">
      <IconFile size={17} aria-hidden />
      <div>
        <Link
          to="/datasets/$datasetId/files/$fileId"
          params={{ datasetId, fileId: file.id }}
          search={{ version }}
          className="plain-link wraps"
        >
          <Text span size="sm" title={file.filePath}>
            {asTree ? file.fileName : file.filePath}
          </Text>
        </Link>
        {file.error !== null && (
          <Text size="xs" c="red">
            {t('datasets.files.why', { reason: file.error })}
          </Text>
        )}
      </div>
    </Group>
  );
}

function EntryMenu(props: {
  entry: Entry;
  datasetId: string;
  version: number | undefined;
  onDialog: (dialog: Dialog) => void;
}) {
  const { t } = useTranslation();
  const mayEdit = useMayEdit();
  const { entry, datasetId, version, onDialog } = props;
  const name = entry.kind === 'folder' ? entry.folder.name : entry.file.fileName;
  const href =
    entry.kind === 'folder'
      ? archiveUrl(datasetId, { prefix: entry.folder.path, version })
      : downloadUrl(datasetId, entry.file.id, version);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('datasets.files.actionsOf', { name })}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component="a"
          href={href}
          leftSection={<IconDownload size={15} />}
          disabled={entry.kind === 'file' && entry.file.status !== 'COMPLETED'}
        >
          {entry.kind === 'folder' ? t('datasets.files.downloadFolder') : t('common.actions.download')}
        </Menu.Item>
        {mayEdit && version === undefined && entry.kind === 'file' && (
          <Menu.Item
            leftSection={<IconPencil size={15} />}
            onClick={() => onDialog({ kind: 'rename', file: entry.file })}
          >
            {t('datasets.files.rename')}
          </Menu.Item>
        )}
        {mayEdit && version === undefined && (
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={15} />}
            onClick={() =>
              onDialog(
                entry.kind === 'folder'
                  ? { kind: 'delete-folder', folder: entry.folder }
                  : { kind: 'delete', files: [entry.file.id] },
              )
            }
          >
            {t('common.actions.delete')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function Dialogs(props: {
  datasetId: string;
  version: number;
  path: string | undefined;
  dialog: Dialog | undefined;
  onClose: () => void;
  onDone: () => void;
}) {
  const { datasetId, version, path, dialog, onClose, onDone } = props;
  switch (dialog?.kind) {
    case undefined:
      return null;
    case 'new-folder':
      return <NewFolderDialog datasetId={datasetId} parent={path} onClose={onClose} />;
    case 'rename':
      return <RenameFileDialog datasetId={datasetId} file={dialog.file} onClose={onClose} />;
    case 'delete':
      return (
        <DeleteFilesDialog
          datasetId={datasetId}
          version={version}
          fileIds={dialog.files}
          onClose={onClose}
          onDone={onDone}
        />
      );
    case 'delete-folder':
      return <DeleteFolderDialog datasetId={datasetId} version={version} folder={dialog.folder} onClose={onClose} />;
  }
}
