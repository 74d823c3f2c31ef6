import { ActionIcon, Group, Menu, Text } from '@mantine/core';
import { IconDots, IconDownload, IconFile, IconFolder, IconPencil, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../messages/sentences.ts';
import type { DatasetFile, Folder } from '../../api/schema.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Ago, Bytes } from '../../ui/figures.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { archiveUrl, downloadUrl } from './dataset-queries.ts';
import type { FileDialog } from './file-dialogs.tsx';

/** A row of the list of files. */
export type Entry = { kind: 'folder'; folder: Folder } | { kind: 'file'; file: DatasetFile };

export function entriesOf(folders: readonly Folder[] | undefined, files: readonly DatasetFile[]): Entry[] {
  return [
    ...(folders ?? []).map((folder): Entry => ({ kind: 'folder', folder })),
    ...files.map((file): Entry => ({ kind: 'file', file })),
  ];
}

/** The columns of the list of folders and files, with the menu of each entry. */
export function useEntryColumns(props: {
  datasetId: string;
  version: number | undefined;
  asTree: boolean;
  onDialog: (dialog: FileDialog) => void;
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
  const say = useSay();
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
            {t('datasets.files.why', { reason: say(file, 'error') })}
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
  onDialog: (dialog: FileDialog) => void;
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
