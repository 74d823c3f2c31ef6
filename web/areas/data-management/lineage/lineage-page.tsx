import { Group, SegmentedControl, Select, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { IconBinaryTree } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { LineageGraph } from './lineage-graph.tsx';
import { LineageList } from './lineage-list.tsx';
import { lineageQuery } from './lineage-queries.ts';
import type { LineageSearch } from './lineage-search.ts';
import { withoutTools } from './lineage-things.ts';

const route = getRouteApi('/shell/datasets/$datasetId/lineage');
const usualDepth = 3;

/** Where a dataset comes from and where it went, over all areas: as a graph or as a list. */
export function LineagePage() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { version, direction = 'BOTH', depth = usualDepth, tools, list } = search;
  const lineage = useQuery(
    lineageQuery(datasetId, { direction, depth, ...(version === undefined ? {} : { version }) }),
  );
  const shown = useMemo(() => {
    if (lineage.data === undefined) return undefined;
    return tools === true ? lineage.data : withoutTools(lineage.data);
  }, [lineage.data, tools]);
  const change = (next: { [Key in keyof LineageSearch]: LineageSearch[Key] | undefined }): void =>
    void navigate({
      to: '/datasets/$datasetId/lineage',
      params: { datasetId },
      search: (old: LineageSearch) => ({ ...old, ...next }),
      replace: true,
    });
  if (lineage.isError) return <ErrorPanel error={lineage.error} onRetry={() => void lineage.refetch()} />;
  if (lineage.data === undefined || shown === undefined) return <Skeleton height={320} />;
  const isAlone = !lineage.data.nodes.some(({ kind }) => kind !== 'DATASET_VERSION');
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={t('viewer.lineage.direction')}
          value={direction}
          onChange={(next) => change({ direction: next === 'UP' || next === 'DOWN' ? next : undefined })}
          data={(['BOTH', 'UP', 'DOWN'] as const).map((one) => ({
            value: one,
            label: t(`viewer.lineage.directions.${one}`),
          }))}
        />
        <Select
          size="xs"
          w={150}
          aria-label={t('viewer.lineage.depth')}
          data={[1, 2, 3, 5, 10, 20].map((runs) => ({
            value: String(runs),
            label: t('viewer.lineage.runs', { count: runs }),
          }))}
          value={String(depth)}
          allowDeselect={false}
          onChange={(next) => change({ depth: Number(next) === usualDepth ? undefined : Number(next) })}
        />
        <Switch
          size="xs"
          label={t('viewer.lineage.tools')}
          checked={tools === true}
          onChange={(event) => change({ tools: event.currentTarget.checked || undefined })}
        />
        <SegmentedControl
          size="xs"
          aria-label={t('viewer.lineage.view')}
          value={list === true ? 'list' : 'graph'}
          onChange={(next) => change({ list: next === 'list' || undefined })}
          data={[
            { value: 'graph', label: t('viewer.lineage.asGraph') },
            { value: 'list', label: t('viewer.lineage.asList') },
          ]}
        />
      </Group>
      {isAlone ? (
        <EmptyState icon={IconBinaryTree} title={t('viewer.lineage.emptyTitle')} lead={t('viewer.lineage.emptyLead')} />
      ) : list === true ? (
        <LineageList nodes={lineage.data.nodes} edges={lineage.data.edges} />
      ) : (
        <LineageGraph root={lineage.data.root} nodes={shown.nodes} edges={shown.edges} />
      )}
      {lineage.data.truncated && (
        <Text size="sm" c="dimmed">
          {t('viewer.lineage.truncated')}
        </Text>
      )}
    </Stack>
  );
}
