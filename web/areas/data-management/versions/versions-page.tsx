import { ActionIcon, Badge, Button, Group, Menu, Stack, Text, Tooltip } from '@mantine/core';
import {
  IconArrowBackUp,
  IconDots,
  IconDownload,
  IconEraser,
  IconGitCompare,
  IconTable,
  IconTag,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../../messages/sentences.ts';
import type { DatasetVersion } from '../../../api/schema.ts';
import { addressOfRun } from '../../../runs/run-address.ts';
import { useAreas } from '../../../shell/area.ts';
import { DataTable, type Column } from '../../../ui/data-table.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Ago, Bytes, Count, useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Pager } from '../../../ui/pager.tsx';
import { useMayEdit } from '../../../session/use-role.ts';
import { archiveUrl, datasetQuery, versionsQuery } from '../dataset-queries.ts';
import { NameVersionDialog } from './name-dialog.tsx';
import { PruneDialog } from './prune-dialog.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import { summaryOf } from './version-summary.ts';

const route = getRouteApi('/shell/datasets/$datasetId/versions');

/** Versions of a dataset, newest first: open, download, name the current one. */
export function DatasetVersions() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const { page = 0, size = 20 } = route.useSearch();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<VersionDialog>();
  const close = (): void => setDialog(undefined);
  const { data: dataset } = useQuery(datasetQuery(datasetId));
  const list = useQuery(versionsQuery(datasetId, { page, size }));
  const mayEdit = useMayEdit();
  const columns = useColumns(
    datasetId,
    dataset?.version,
    mayEdit ? (version) => setDialog({ kind: 'restore', version }) : undefined,
  );
  if (list.isError) return <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('datasets.versions.lead')}{' '}
          <Link to={`/datasets/${datasetId}/versions/purges`}>{t('viewer.purges.title')}</Link>
        </Text>
        {mayEdit && (
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              leftSection={<IconEraser size={14} />}
              onClick={() => setDialog({ kind: 'prune' })}
            >
              {t('viewer.versions.prune')}
            </Button>
            <Button
              variant="light"
              size="xs"
              leftSection={<IconTag size={14} />}
              onClick={() => setDialog({ kind: 'name' })}
            >
              {t('datasets.versions.nameCurrent')}
            </Button>
          </Group>
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
      {dialog?.kind === 'name' && <NameVersionDialog datasetId={datasetId} onClose={close} />}
      {dialog?.kind === 'prune' && <PruneDialog datasetId={datasetId} onClose={close} />}
      {dialog?.kind === 'restore' && (
        <RestoreDialog datasetId={datasetId} version={dialog.version} current={dataset?.version ?? 1} onClose={close} />
      )}
    </Stack>
  );
}

type VersionDialog = { kind: 'name' } | { kind: 'prune' } | { kind: 'restore'; version: number };

function useColumns(
  datasetId: string,
  current: number | undefined,
  onRestore: ((version: number) => void) | undefined,
): Column<DatasetVersion>[] {
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
          {version.nameIsReserved && (
            <Text size="xs" c="dimmed">
              {t('datasets.versions.nameIsReserved', { version: version.version })}
            </Text>
          )}
          <WhatChanged version={version} />
          <MadeBy run={version.run} />
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
      key: 'actions',
      header: '',
      width: 44,
      cell: ({ version }) => (
        <VersionMenu datasetId={datasetId} version={version} current={current} onRestore={onRestore} />
      ),
    },
  ];
}

/** The run that made a version. */
function MadeBy({ run }: { run: DatasetVersion['run'] }) {
  const { t } = useTranslation();
  const areas = useAreas().flatMap(({ tasks }) => tasks ?? []);
  if (run === null) return null;
  const { area, id, taskId, taskName, number, isStored } = run;
  const name = number === 0 ? taskName : `${taskName} #${number}`;
  const address = isStored ? addressOfRun({ area, taskId, id, within: null }, areas) : undefined;
  return (
    <Text size="xs" c="dimmed" component="div">
      {t('viewer.versions.run')} {address === undefined ? name : <Link to={address}>{name}</Link>}
    </Text>
  );
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

function VersionMenu(props: {
  datasetId: string;
  version: number;
  current: number | undefined;
  onRestore: ((version: number) => void) | undefined;
}) {
  const { t } = useTranslation();
  const { datasetId, version, current, onRestore } = props;
  const navigate = useNavigate();
  const compare = (from: number, to: number): void =>
    void navigate({ to: '/datasets/$datasetId/versions/diff', params: { datasetId }, search: { from, to } });
  return (
    <Menu withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('viewer.versions.actionsOf', { version })}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {version > 1 && (
          <Menu.Item leftSection={<IconGitCompare size={16} />} onClick={() => compare(version - 1, version)}>
            {t('viewer.versions.whatItChanged')}
          </Menu.Item>
        )}
        {current !== undefined && version !== current && (
          <Menu.Item leftSection={<IconGitCompare size={16} />} onClick={() => compare(version, current)}>
            {t('viewer.versions.compareCurrent')}
          </Menu.Item>
        )}
        {onRestore !== undefined && version !== current && (
          <Menu.Item leftSection={<IconArrowBackUp size={16} />} onClick={() => onRestore(version)}>
            {t('viewer.versions.restore')}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconTable size={16} />}
          onClick={() =>
            void navigate({
              to: '/datasets/$datasetId',
              params: { datasetId },
              search: version === current ? {} : { version },
            })
          }
        >
          {t('viewer.versions.showData')}
        </Menu.Item>
        <Menu.Item component="a" leftSection={<IconDownload size={16} />} href={archiveUrl(datasetId, { version })}>
          {t('datasets.versions.download')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
