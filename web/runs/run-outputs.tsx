import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconDatabase, IconDownload, IconPackage } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/client.ts';
import { addressOf } from '../api/path-prefix.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { Ago, Bytes, Count, useLocale } from '../ui/figures.tsx';
import { formatCount } from '../ui/format.ts';
import type { RunArea } from './run-area.ts';
import { runQuery } from './run-queries.ts';

type Props = {
  area: RunArea;
  taskId: string;
  runId: string;
  /** The dataset that the run writes: null if no run has created it yet, undefined while that is unknown. */
  datasetId: string | null | undefined;
};

/** Output of a run: the dataset, its current contents, and links to view and download it. */
export function RunOutputs({ area, taskId, runId, datasetId }: Props) {
  const { t } = useTranslation();
  const locale = useLocale();
  const run = useQuery(runQuery(area, taskId, runId));
  const dataset = useQuery({
    queryKey: ['datasets', 'one', datasetId],
    queryFn: () =>
      dataOf(
        api.GET('/api/v1/data-management/datasets/{datasetId}', { params: { path: { datasetId: datasetId ?? '' } } }),
      ),
    enabled: typeof datasetId === 'string',
  });
  if (dataset.isError) return <ErrorPanel error={dataset.error} onRetry={() => void dataset.refetch()} />;
  if (datasetId === null)
    return <EmptyState icon={IconPackage} title={t('runs.outputs.none')} lead={t('runs.outputs.noneLead')} />;
  if (run.data === undefined || dataset.data === undefined) return <Skeleton height={160} />;
  const { id, name, fileCount, totalSize, version, updatedAt } = dataset.data;
  const isGoing = run.data.status === 'QUEUED' || run.data.status === 'RUNNING';
  return (
    <section className="panel" aria-label={t('runs.outputs.dataset')}>
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          {t('runs.outputs.dataset')}
        </Text>
        <Title order={2} size="h4" className="wraps">
          <Link to="/datasets/$datasetId" params={{ datasetId: id }} className="plain-link">
            {name}
          </Link>
        </Title>
        {(isGoing || run.data.status === 'FAILED' || run.data.status === 'STOPPED') && (
          <Text size="sm" c="orange">
            {isGoing ? t('runs.outputs.notYet') : t('runs.outputs.incomplete')}
          </Text>
        )}
        <dl className="facts-list">
          <dt>{t('runs.counts.emitted')}</dt>
          <dd>
            <Count value={run.data.counts.emitted} />
          </dd>
          <dt>{t('runs.outputs.holds')}</dt>
          <dd>
            {t('runs.outputs.version', { version })} ·{' '}
            {t('runs.outputs.files', { count: fileCount, files: formatCount(fileCount, locale) })} ·{' '}
            <Bytes value={totalSize} /> · <Ago time={updatedAt} />
          </dd>
        </dl>
        <Group gap="xs">
          <Link to="/datasets/$datasetId" params={{ datasetId: id }} className="button-link">
            <Button component="span" size="xs" leftSection={<IconDatabase size={14} />}>
              {t('runs.outputs.open')}
            </Button>
          </Link>
          <Button
            component="a"
            size="xs"
            variant="default"
            href={addressOf(`/api/v1/data-management/datasets/${encodeURIComponent(id)}/files/download`)}
            leftSection={<IconDownload size={14} />}
          >
            {t('runs.outputs.download')}
          </Button>
        </Group>
      </Stack>
    </section>
  );
}
