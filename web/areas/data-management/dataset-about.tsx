import { Alert, Anchor, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Dataset, DatasetStatistics } from '../../api/schema.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { CopyableLines } from '../../ui/copyable-lines.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, Bytes, Count, useLocale } from '../../ui/figures.tsx';
import { formatCount, formatShare } from '../../ui/format.ts';
import { ShareBars, type Share } from '../../ui/share-bars.tsx';
import { Stat } from '../../ui/stat.tsx';
import { archiveUrl, statisticsQuery } from './dataset-queries.ts';

const shownTypes = 8;

/** Figures and origin of a dataset. */
export function DatasetAbout({ dataset, version }: { dataset: Dataset; version: number | undefined }) {
  const { t } = useTranslation();
  const datasetId = dataset.id;
  const statistics = useQuery(statisticsQuery(datasetId, version));
  if (statistics.isError) return <ErrorPanel error={statistics.error} onRetry={() => void statistics.refetch()} />;
  if (statistics.data === undefined) return <Skeleton height={220} />;
  const figures = statistics.data;
  return (
    <Stack>
      <Figures version={version ?? dataset.version} figures={figures} />
      {figures.statusDistribution.ERROR > 0 && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title={t('datasets.overview.showErrors', { count: figures.statusDistribution.ERROR })}
        >
          <Anchor
            component={Link}
            to="/datasets/$datasetId/files"
            params={{ datasetId } as never}
            search={{ status: 'ERROR' } as never}
            size="sm"
          >
            {t('datasets.overview.showErrorsAction')}
          </Anchor>
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <div className="panel">
          <Title order={2} size="h5" mb="sm">
            {t('datasets.overview.byType')}
          </Title>
          <TypeShares figures={figures} />
        </div>
        <div className="panel">
          <Title order={2} size="h5" mb="sm">
            {t('datasets.overview.byStatus')}
          </Title>
          <ShareBars
            label={t('datasets.overview.byStatus')}
            shares={statusColors.map(([status, color]) => ({
              key: status,
              label: t(`common.status.${status}`),
              count: figures.statusDistribution[status],
              color,
            }))}
          />
        </div>
      </SimpleGrid>
      <About dataset={dataset} />
    </Stack>
  );
}

const statusColors = [
  ['COMPLETED', 'var(--mantine-color-green-filled)'],
  ['PROCESSING', 'var(--mantine-color-blue-filled)'],
  ['ERROR', 'var(--mantine-color-red-filled)'],
] as const;

function Figures({ version, figures }: { version: number; figures: DatasetStatistics }) {
  const { t } = useTranslation();
  const locale = useLocale();
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Stat label={t('datasets.overview.files')}>
        <Count value={figures.totalFiles} />
      </Stat>
      <Stat label={t('datasets.overview.size')}>
        <Bytes value={figures.totalSize} />
      </Stat>
      <Stat
        label={t('datasets.overview.complete')}
        hint={t('datasets.overview.completeHint', {
          completed: formatCount(figures.completedFiles, locale),
          total: formatCount(figures.totalFiles, locale),
        })}
      >
        {formatShare(figures.completionRate / 100, locale)}
      </Stat>
      <Stat label={t('datasets.overview.version')}>{version}</Stat>
    </SimpleGrid>
  );
}

function TypeShares({ figures }: { figures: DatasetStatistics }) {
  const { t } = useTranslation();
  const sorted = Object.entries(figures.fileTypeDistribution).sort(([, a], [, b]) => b - a);
  const shown = sorted.slice(0, sorted.length === shownTypes + 1 ? shownTypes + 1 : shownTypes);
  const rest = sorted.slice(shown.length).reduce((sum, [, count]) => sum + count, 0);
  const shares: Share[] = shown.map(([type, count]) => ({
    key: type,
    label: type === '' ? t('datasets.overview.noExtension') : `.${type}`,
    count,
  }));
  if (rest > 0)
    shares.push({
      key: ' others',
      label: t('datasets.overview.others'),
      count: rest,
      color: 'var(--mantine-color-gray-5)',
    });
  return <ShareBars label={t('datasets.overview.byType')} shares={shares} />;
}

function About({ dataset }: { dataset: Dataset }) {
  const { t } = useTranslation();
  const command = `curl -OJ -H "X-API-Key: $KEY" "${location.origin}${archiveUrl(dataset.id)}"`;
  const lines: [string, ReactNode][] = [
    [t('datasets.form.description'), dataset.description],
    [t('datasets.overview.dataSource'), dataset.dataSource],
    [t('datasets.overview.targetLocation'), dataset.targetLocation],
    [t('datasets.overview.created'), <Moment key="created" time={dataset.createdAt} name={dataset.createdBy} />],
    [t('datasets.overview.changed'), <Moment key="changed" time={dataset.updatedAt} name={dataset.updatedBy} />],
    [t('datasets.overview.id'), <Copyable key="id" value={dataset.id} />],
  ];
  return (
    <div className="panel">
      <Title order={2} size="h5" mb="sm">
        {t('datasets.overview.about')}
      </Title>
      <Table withRowBorders={false} layout="fixed">
        <Table.Tbody>
          {lines
            .filter(([, value]) => value !== null && value !== '')
            .map(([label, value]) => (
              <Table.Tr key={label}>
                <Table.Th w={130} fw={400} c="dimmed" scope="row">
                  {label}
                </Table.Th>
                <Table.Td className="wraps">{value}</Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed" mt="sm" mb={4}>
        {t('datasets.overview.curl')}
      </Text>
      <CopyableLines text={command} />
    </div>
  );
}

function Moment({ time, name }: { time: string; name: string }) {
  const { t } = useTranslation();
  return (
    <>
      <Ago time={time} /> {t('datasets.detail.by', { name })}
    </>
  );
}
