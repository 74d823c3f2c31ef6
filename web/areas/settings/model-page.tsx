import { Alert, Anchor, Button, Code, Group, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Model, ModelUsageFigures } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Count, Duration, useCost } from '../../ui/figures.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { UsedInLink } from '../../ui/used-in-link.tsx';
import { Stat } from '../../ui/stat.tsx';
import { useMe } from '../../session/use-role.ts';
import { ModelDialog } from './model-dialog.tsx';
import { modelQuery, modelsQuery, modelUsageQuery } from './model-queries.ts';

/** One model: its settings, whether it works, and its usage. */
export function ModelPage() {
  const { t } = useTranslation();
  const { modelId } = useParams({ from: '/shell/settings/models/$modelId' });
  const isAdmin = useMe().role === 'ADMIN';
  const model = useQuery(modelQuery(modelId));
  if (model.isError) return <ErrorPanel error={model.error} onRetry={() => void model.refetch()} />;
  const { data } = model;
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Stack gap={2}>
          <Anchor component={Link} to="/settings/models" size="sm">
            {t('settings.models.all')}
          </Anchor>
          <Title order={2} size="h4" className="wraps">
            {data?.name ?? <Skeleton height={20} width={200} />}
          </Title>
          <UsedInLink kind="MODEL" id={modelId} />
        </Stack>
        {data !== undefined && isAdmin && <ModelActions model={data} />}
      </Group>
      <div className="panel">
        <ModelFacts model={data} />
      </div>
      <Usage id={modelId} hasPrices={data?.prices !== null} />
    </Stack>
  );
}

function ModelActions({ model }: { model: Model }) {
  const { t } = useTranslation();
  const say = useSay();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const path = { id: model.id };
  const test = useMutation({
    mutationFn: async () => (await dataOf(api.POST('/api/v1/settings/models/{id}/test', { params: { path } }))).data,
    onSettled: () => queryClient.invalidateQueries({ queryKey: modelUsageQuery(model.id).queryKey }),
  });
  return (
    <Stack gap="xs" align="flex-end" className="model-actions">
      <Group gap="xs">
        {!model.builtIn && (
          <>
            <Button variant="default" color="red" onClick={() => setOpen('delete')}>
              {t('common.actions.delete')}
            </Button>
            <Button variant="default" onClick={() => setOpen('edit')}>
              {t('common.actions.edit')}
            </Button>
          </>
        )}
        <Button leftSection={<IconPlugConnected size={16} />} loading={test.isPending} onClick={() => test.mutate()}>
          {t('settings.models.test')}
        </Button>
      </Group>
      {test.data !== undefined && (
        <Alert color={test.data.ok ? 'green' : 'red'} role="status" maw={560} py="xs">
          <Text size="sm" className="wraps">
            {say(test.data, 'message')} · <Duration ms={test.data.tookMs} />
          </Text>
        </Alert>
      )}
      {test.isError && <ErrorPanel error={test.error} />}
      {open === 'edit' && <ModelDialog model={model} onClose={() => setOpen(undefined)} />}
      <ConfirmDialog
        opened={open === 'delete'}
        title={t('settings.models.deleteTitle', { name: model.name })}
        action={t('settings.models.deleteAction')}
        onClose={() => setOpen(undefined)}
        onConfirm={async () => {
          await dataOf(api.DELETE('/api/v1/settings/models/{id}', { params: { path } }));
          await queryClient.invalidateQueries({ queryKey: modelsQuery.queryKey, exact: true });
          notifyDone(t('settings.models.deleted', { name: model.name }));
          await navigate({ to: '/settings/models' });
        }}
      >
        {t('settings.models.deleteExplained')}
      </ConfirmDialog>
    </Stack>
  );
}

function ModelFacts({ model }: { model: Model | undefined }) {
  const { t } = useTranslation();
  const cost = useCost();
  const known = (value: (model: Model) => ReactNode): ReactNode =>
    model === undefined ? <Skeleton height={12} my={5} width={120} /> : value(model);
  const rows: [string, ReactNode][] = [
    [t('settings.models.kind'), known(({ kind }) => t(`settings.models.kinds.${kind}`))],
    [t('settings.models.model'), known((each) => <Code className="wraps">{each.model}</Code>)],
    [
      t('settings.models.baseUrl'),
      known(({ baseUrl }) => (baseUrl === null ? t('settings.models.here') : <Code className="wraps">{baseUrl}</Code>)),
    ],
    [
      t('settings.models.apiKey'),
      known(({ hasSecret }) => t(hasSecret ? 'settings.models.keyKept' : 'settings.models.noKey')),
    ],
    [
      t('settings.models.prices'),
      known(({ prices }) =>
        prices === null
          ? t('settings.models.noPrices')
          : t('settings.models.pricesOf', { input: cost(prices.input), output: cost(prices.output) }),
      ),
    ],
    [t('settings.models.limits'), known(({ limits }) => <Limits limits={limits} />)],
  ];
  const shown = model?.builtIn === true ? rows.slice(0, 3) : rows;
  return (
    <Table withRowBorders={false}>
      <Table.Tbody>
        {shown.map(([label, value]) => (
          <Table.Tr key={label}>
            <Table.Th scope="row" w={160} fw={400} c="dimmed">
              {label}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Limits({ limits: { concurrency = 64, perDay, total } }: { limits: Model['limits'] }) {
  const { t } = useTranslation();
  const cost = useCost();
  const caps = (of: NonNullable<typeof perDay>): string =>
    [
      of.maxCalls === undefined ? '' : t('settings.models.caps.calls', { count: of.maxCalls }),
      of.maxTokens === undefined ? '' : t('settings.models.caps.tokens', { count: of.maxTokens }),
      of.maxCost === undefined ? '' : t('settings.models.caps.cost', { cost: cost(of.maxCost) }),
    ]
      .filter((part) => part !== '')
      .join(', ');
  const parts = [
    t('settings.models.caps.atOnce', { count: concurrency }),
    perDay === undefined ? '' : t('settings.models.caps.perDay', { caps: caps(perDay) }),
    total === undefined ? '' : t('settings.models.caps.total', { caps: caps(total) }),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function Usage({ id, hasPrices }: { id: string; hasPrices: boolean }) {
  const { t } = useTranslation();
  const cost = useCost();
  const usage = useQuery(modelUsageQuery(id));
  if (usage.isError) return <ErrorPanel error={usage.error} onRetry={() => void usage.refetch()} />;
  const { totals, days, runs } = usage.data ?? {};
  const figure = (value: number | undefined): ReactNode =>
    value === undefined ? <Skeleton height={18} my={5} width={60} /> : <Count value={value} />;
  const figureColumns = [
    {
      key: 'calls',
      header: t('settings.models.calls'),
      align: 'right' as const,
      cell: (row: ModelUsageFigures) => <Count value={row.calls} />,
    },
    {
      key: 'input',
      header: t('settings.models.inputTokens'),
      align: 'right' as const,
      cell: (row: ModelUsageFigures) => <Count value={row.inputTokens} />,
    },
    {
      key: 'output',
      header: t('settings.models.outputTokens'),
      align: 'right' as const,
      cell: (row: ModelUsageFigures) => <Count value={row.outputTokens} />,
    },
    ...(hasPrices
      ? [
          {
            key: 'cost',
            header: t('settings.models.cost'),
            align: 'right' as const,
            cell: (row: ModelUsageFigures) => <span className="figure">{cost(row.cost)}</span>,
          },
        ]
      : []),
  ];
  return (
    <Stack>
      <Title order={3} size="h5">
        {t('settings.models.usage')}
      </Title>
      <SimpleGrid cols={{ base: 2, sm: hasPrices ? 4 : 3 }}>
        <Stat label={t('settings.models.calls')} hint={t('settings.models.callsHelp')}>
          {figure(totals?.calls)}
        </Stat>
        <Stat label={t('settings.models.inputTokens')}>{figure(totals?.inputTokens)}</Stat>
        <Stat label={t('settings.models.outputTokens')}>{figure(totals?.outputTokens)}</Stat>
        {hasPrices && (
          <Stat label={t('settings.models.cost')}>
            {totals === undefined ? <Skeleton height={18} my={5} width={60} /> : cost(totals.cost)}
          </Stat>
        )}
      </SimpleGrid>
      {totals !== undefined && totals.unreportedCalls > 0 && (
        <Text size="sm" c="dimmed">
          {t('settings.models.unreported', { count: totals.unreportedCalls })}
        </Text>
      )}
      {days?.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('settings.models.noCalls')}
        </Text>
      ) : (
        <DataTable
          label={t('settings.models.byDay')}
          columns={[{ key: 'day', header: t('settings.models.day'), cell: ({ day }) => day }, ...figureColumns]}
          rows={days}
          idOf={({ day }) => day}
          expectedRows={3}
        />
      )}
      {runs !== undefined && runs.length > 0 && (
        <DataTable
          label={t('settings.models.byRun')}
          columns={[
            {
              key: 'run',
              header: t('settings.models.run'),
              cell: ({ runId }) => <Code className="wraps">{runId}</Code>,
            },
            ...figureColumns,
          ]}
          rows={runs}
          idOf={({ runId }) => runId}
        />
      )}
    </Stack>
  );
}
