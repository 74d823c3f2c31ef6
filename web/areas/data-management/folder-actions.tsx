import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import { IconDownload, IconFolderPlus, IconTrash, IconUpload } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { archiveUrl } from './dataset-queries.ts';
import type { FileDialog } from './file-dialogs.tsx';

/** Actions on the selected files and the shown folder. */
export function FolderActions(props: {
  datasetId: string;
  version: number | undefined;
  path: string | undefined;
  selection: readonly string[];
  mayEdit: boolean;
  onDialog: (dialog: FileDialog) => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { datasetId, version, path, selection, mayEdit, onDialog } = props;
  return (
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
              onClick={() => onDialog({ kind: 'delete', files: selection })}
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
              onClick={() => onDialog({ kind: 'new-folder' })}
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
  );
}
