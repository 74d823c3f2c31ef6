import { ActionIcon, Badge, Button, Group, Modal, Stack, Text, Textarea, TextInput, Tooltip } from '@mantine/core';
import { IconDownload, IconTag } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../messages/sentences.ts';
import { api, dataOf } from '../../api/client.ts';
import type { DatasetVersion } from '../../api/schema.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, Bytes, Count, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { notifyDone } from '../../ui/notify.ts';
import { Pager } from '../../ui/pager.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { archiveUrl, datasetKeys, datasetQuery, versionsQuery } from './dataset-queries.ts';
import { summaryOf } from './version-summary.ts';

const route = getRouteApi('/shell/datasets/$datasetId/versions');

/** Versions of a dataset, newest first: open, download, name the current one. */
export function DatasetVersions() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const { page = 0, size = 20 } = route.useSearch();
  const navigate = useNavigate();
  const [naming, setNaming] = useState(false);
  const { data: dataset } = useQuery(datasetQuery(datasetId));
  const list = useQuery(versionsQuery(datasetId, { page, size }));
  const columns = useColumns(datasetId, dataset?.version);
  const mayEdit = useMayEdit();
  if (list.isError) return <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('datasets.versions.lead')}
        </Text>
        {mayEdit && (
          <Button variant="light" size="xs" leftSection={<IconTag size={14} />} onClick={() => setNaming(true)}>
            {t('datasets.versions.nameCurrent')}
          </Button>
        )}
      </Group>
      <DataTable
        label={t('datasets.tabs.versions')}
        columns={columns}
        rows={list.data?.content}
        idOf={({ version }) => String(version)}
        onOpen={({ version }) =>
          void navigate({
            to: '/datasets/$datasetId/files',
            params: { datasetId },
            search: version === dataset?.version ? {} : { version },
          })
        }
        stale={list.isPlaceholderData}
      />
      {list.data !== undefined && (
        <Pager
          {...list.data}
          onChange={(next) =>
            void navigate({ to: '/datasets/$datasetId/versions', params: { datasetId }, search: next })
          }
        />
      )}
      {naming && <NameVersionDialog datasetId={datasetId} onClose={() => setNaming(false)} />}
    </Stack>
  );
}

function useColumns(datasetId: string, current: number | undefined): Column<DatasetVersion>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'version',
      header: t('datasets.versions.version'),
      width: 110,
      cell: ({ version, open }) => (
        <Group gap={4}>
          <span className="figure">{version}</span>
          {version === current && (
            <Badge size="sm" variant="light" className="status">
              {t('datasets.versions.current')}
            </Badge>
          )}
          {open && (
            <Tooltip label={t('datasets.versions.openHelp')} multiline maw={320}>
              <Badge size="sm" variant="light" color="blue" className="status" tabIndex={0}>
                {t('datasets.versions.open')}
              </Badge>
            </Tooltip>
          )}
        </Group>
      ),
    },
    {
      key: 'name',
      header: t('datasets.versions.message'),
      cell: ({ name, ...version }) => (
        <div className="wraps">
          {name !== null && (
            <Text size="sm" fw={600}>
              {name}
            </Text>
          )}
          <WhatChanged version={version} />
        </div>
      ),
    },
    {
      key: 'files',
      header: t('datasets.versions.files'),
      align: 'right',
      width: 90,
      cell: ({ fileCount }) => <Count value={fileCount} />,
    },
    {
      key: 'size',
      header: t('datasets.versions.size'),
      align: 'right',
      width: 100,
      from: 'sm',
      cell: ({ totalSize }) => <Bytes value={totalSize} />,
    },
    {
      key: 'createdAt',
      header: t('datasets.versions.createdAt'),
      width: 140,
      from: 'sm',
      cell: ({ createdAt }) => <Ago time={createdAt} />,
    },
    {
      key: 'createdBy',
      header: t('datasets.versions.createdBy'),
      width: 110,
      from: 'md',
      cell: ({ createdBy }) => createdBy,
    },
    {
      key: 'download',
      header: '',
      width: 44,
      cell: ({ version }) => (
        <Tooltip label={t('datasets.versions.download')}>
          <ActionIcon
            component="a"
            variant="subtle"
            color="gray"
            href={archiveUrl(datasetId, { version })}
            aria-label={t('datasets.versions.download')}
          >
            <IconDownload size={16} />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ];
}

function WhatChanged({ version }: { version: Omit<DatasetVersion, 'name'> }) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const summary = summaryOf(version);
  if (summary.key === 'message') return <Text size="sm">{say(version, 'message')}</Text>;
  if (summary.key === 'made') return <Text size="sm">{t('datasets.versions.made')}</Text>;
  const parts = (['added', 'replaced', 'deleted'] as const)
    .filter((part) => summary[part] > 0)
    .map((part) => t(`datasets.versions.${part}`, { count: summary[part], files: formatCount(summary[part], locale) }));
  const what = parts.length === 0 ? t('datasets.versions.nothing') : parts.join(t('datasets.versions.separator'));
  return <Text size="sm">{version.uploadId === null ? what : t('datasets.versions.uploaded', { what })}</Text>;
}

function NameVersionDialog({ datasetId, onClose }: { datasetId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [message, setMessage] = useState('');
  const save = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/v1/data-management/datasets/{datasetId}/versions', {
          params: { path: { datasetId } },
          body: { name: name.trim(), ...(message.trim() === '' ? {} : { message: message.trim() }) },
        }),
      ),
    onSuccess: async (version) => {
      await queryClient.invalidateQueries({ queryKey: datasetKeys.all });
      notifyDone(t('datasets.versions.named', { version: version.version, name: version.name ?? '' }));
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('datasets.versions.nameCurrent')}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack gap="sm">
          <TextInput
            label={t('datasets.versions.nameLabel')}
            description={t('datasets.versions.nameHelp')}
            value={name}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label={t('datasets.versions.messageLabel')}
            autosize
            minRows={2}
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
          />
          {save.isError && <ErrorPanel error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.actions.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
              {t('common.actions.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
