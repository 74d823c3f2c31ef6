import { Group, SegmentedControl, Select, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { IconBinaryTree } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { DatasetLineage } from '../../../api/schema.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { LineageGraph } from './lineage-graph.tsx';
import { LineageList } from './lineage-list.tsx';
import { usualDepth, type LineageSearch } from './lineage-search.ts';
import { withoutTools } from './lineage-things.ts';

export type LineageChange = { [Key in keyof LineageSearch]: LineageSearch[Key] | undefined };

/** A lineage as a graph or a list, with its controls; `empty` explains what an empty lineage means. */
export function LineageView({
  lineage,
  search,
  onChange,
  empty,
}: {
  lineage: UseQueryResult<DatasetLineage>;
  search: LineageSearch;
  onChange: (next: LineageChange) => void;
  empty: { title: string; lead: string };
}) {
  const { t } = useTranslation();
  const { direction = 'BOTH', depth = usualDepth, tools, list } = search;
  const shown = useMemo(() => {
    if (lineage.data === undefined) return undefined;
    return tools === true ? lineage.data : withoutTools(lineage.data);
  }, [lineage.data, tools]);
  if (lineage.isError) return <ErrorPanel error={lineage.error} onRetry={() => void lineage.refetch()} />;
  if (lineage.data === undefined || shown === undefined) return <Skeleton height={320} />;
  const isAlone = !lineage.data.nodes.some(({ id, kind }) => id !== lineage.data.root && kind !== 'DATASET_VERSION');
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={t('viewer.lineage.direction')}
          value={direction}
          onChange={(next) => onChange({ direction: next === 'UP' || next === 'DOWN' ? next : undefined })}
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
          onChange={(next) => onChange({ depth: Number(next) === usualDepth ? undefined : Number(next) })}
        />
        <Switch
          size="xs"
          label={t('viewer.lineage.tools')}
          checked={tools === true}
          onChange={(event) => onChange({ tools: event.currentTarget.checked || undefined })}
        />
        <SegmentedControl
          size="xs"
          aria-label={t('viewer.lineage.view')}
          value={list === true ? 'list' : 'graph'}
          onChange={(next) => onChange({ list: next === 'list' || undefined })}
          data={[
            { value: 'graph', label: t('viewer.lineage.asGraph') },
            { value: 'list', label: t('viewer.lineage.asList') },
          ]}
        />
      </Group>
      {isAlone ? (
        <EmptyState icon={IconBinaryTree} title={empty.title} lead={empty.lead} />
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
