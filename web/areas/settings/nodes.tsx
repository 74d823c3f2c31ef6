import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { IconServer2 } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Node } from '../../api/schema.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago } from '../../ui/figures.tsx';

const nodesQuery = queryOptions({
  queryKey: ['nodes'],
  queryFn: async () =>
    (await dataOf(api.GET('/api/v1/settings/nodes', { params: { query: { size: 1000 } } }))).data.content,
  refetchInterval: 5_000,
});

const clusterQuery = queryOptions({
  queryKey: ['cluster'],
  queryFn: async () => (await dataOf(api.GET('/api/v1/settings/cluster'))).data,
  refetchInterval: 5_000,
});

const clusterColours = { REACHABLE: 'green', AWAY: 'red', REFUSING: 'red' } as const;

const colours = { STARTING: 'blue', SERVING: 'green', DRAINING: 'yellow', SILENT: 'red' } as const;

/** The processes that serve this installation, with their roles. */
export function Nodes() {
  const { t } = useTranslation();
  const nodes = useQuery(nodesQuery);
  if (nodes.isError) return <ErrorPanel error={nodes.error} onRetry={() => void nodes.refetch()} />;
  const columns: Column<Node>[] = [
    {
      key: 'address',
      header: t('settings.nodes.address'),
      cell: ({ address, isSelf }) => (
        <Text size="sm" fw={600}>
          {address}{' '}
          {isSelf && (
            <Text span c="dimmed" fw={400} size="sm">
              ({t('settings.nodes.self')})
            </Text>
          )}
        </Text>
      ),
    },
    {
      key: 'state',
      header: t('settings.nodes.state'),
      cell: ({ state }) => (
        <Badge variant="light" color={colours[state]}>
          {t(`settings.nodes.states.${state}`)}
        </Badge>
      ),
    },
    { key: 'version', header: t('settings.nodes.version'), cell: ({ version }) => version, from: 'sm' },
    { key: 'runs', header: t('settings.nodes.runs'), align: 'right', cell: ({ runs }) => runs },
    {
      key: 'started',
      header: t('settings.nodes.started'),
      cell: ({ startedAt }) => <Ago time={startedAt} />,
      from: 'sm',
    },
    { key: 'seen', header: t('settings.nodes.seen'), cell: ({ seenAt }) => <Ago time={seenAt} />, from: 'md' },
  ];
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('settings.nodes.lead')}
      </Text>
      <DataTable
        label={t('settings.tabs.nodes')}
        columns={columns}
        rows={nodes.data}
        idOf={({ id }) => id}
        expectedRows={2}
      />
      <Cluster />
      {nodes.data?.length === 1 && (
        <EmptyState icon={IconServer2} title={t('settings.nodes.aloneTitle')} lead={t('settings.nodes.alone')} />
      )}
    </Stack>
  );
}

/** The cluster that executes runs, if there is one. */
function Cluster() {
  const { t } = useTranslation();
  const { data: cluster, isError, error, refetch } = useQuery(clusterQuery);
  if (isError) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (cluster === undefined || cluster.state === 'NONE') return null;
  const { address, state, problem, runs, maxRuns } = cluster;
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {t('settings.nodes.cluster')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('settings.nodes.clusterLead')}
      </Text>
      <Group>
        <Text size="sm" fw={600}>
          {address}
        </Text>
        <Badge variant="light" color={clusterColours[state]}>
          {t(`settings.nodes.clusterStates.${state}`)}
        </Badge>
        {state === 'REACHABLE' && <Text size="sm">{t('settings.nodes.clusterRuns', { runs, maxRuns })}</Text>}
      </Group>
      {problem !== null && <Text size="sm">{problem}</Text>}
    </Stack>
  );
}
