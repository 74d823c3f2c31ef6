import { Button, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { IconChartBar, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../../session/use-role.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { useLocale } from '../../../ui/figures.tsx';
import { formatCount } from '../../../ui/format.ts';
import { ContentsView } from './contents-view.tsx';
import { contentStatisticsQuery, fileStatisticsQuery, rebuildStatistics } from './statistics-queries.ts';

const route = getRouteApi('/shell/datasets/$datasetId/statistics');

/** What the files of a dataset, or one of them, contain; counted in the background on the first visit. */
export function StatisticsPage() {
  const { t } = useTranslation();
  const locale = useLocale();
  const { datasetId } = route.useParams();
  const { version, file } = route.useSearch();
  const mayEdit = useMayEdit();
  const client = useQueryClient();
  const ofDataset = useQuery({ ...contentStatisticsQuery(datasetId, version), enabled: file === undefined });
  const ofFile = useQuery({ ...fileStatisticsQuery(datasetId, file ?? '', version), enabled: file !== undefined });
  const query = file === undefined ? ofDataset : ofFile;
  const rebuild = useMutation({
    mutationFn: () => rebuildStatistics(datasetId, version),
    onSuccess: (data) => client.setQueryData(contentStatisticsQuery(datasetId, version).queryKey, data),
  });
  const error = rebuild.error ?? query.error;
  if (error !== null)
    return (
      <ErrorPanel
        error={error}
        onRetry={() => {
          rebuild.reset();
          void query.refetch();
        }}
      />
    );
  if (query.data === undefined) return <Skeleton height={320} />;
  const { total, counted, contents } = query.data;
  if (contents === null)
    return (
      <Stack gap="xs" className="panel">
        <Text size="sm" role="status">
          {t('viewer.statistics.counting', {
            count: total,
            counted: formatCount(counted, locale),
            total: formatCount(total, locale),
          })}
        </Text>
        <Progress
          value={total === 0 ? 100 : (100 * counted) / total}
          animated
          aria-label={t('viewer.statistics.countingShort')}
        />
      </Stack>
    );
  if (counted === 0)
    return (
      <EmptyState icon={IconChartBar} title={t('viewer.statistics.empty')} lead={t('viewer.statistics.emptyHelp')} />
    );
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('viewer.statistics.counted', { count: counted, shown: formatCount(counted, locale) })}
        </Text>
        {mayEdit && file === undefined && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            loading={rebuild.isPending}
            onClick={() => rebuild.mutate()}
          >
            {t('viewer.statistics.rebuild')}
          </Button>
        )}
      </Group>
      <ContentsView datasetId={datasetId} version={version} contents={contents} />
    </Stack>
  );
}
