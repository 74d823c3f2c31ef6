import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Run } from '../api/schema.ts';
import { DataTable, type Column } from '../ui/data-table.tsx';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { Ago, Count, Duration } from '../ui/figures.tsx';
import { Pager } from '../ui/pager.tsx';
import { countsTexts, inputsOf, type RunArea } from './run-area.ts';
import { RunStatus } from './run-status.tsx';
import { retentionQuery, runsQuery } from './run-queries.ts';

/** All runs of a task, newest first; renders nothing if there are none. */
export function RunList({ area, taskId }: { area: RunArea; taskId: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [at, setAt] = useState({ page: 0, size: 20 });
  const runs = useQuery({ ...runsQuery(area, taskId, at), refetchInterval: 5_000 });
  const count = (name: 'in' | 'kept' | 'dropped' | 'failed', from?: 'sm'): Column<Run> => ({
    key: name,
    header: t(`runs.${countsTexts[inputsOf(area)]}.${name}`),
    align: 'right',
    ...(from === undefined ? {} : { from }),
    cell: ({ counts }) => <Count value={counts[name]} />,
  });
  const columns: Column<Run>[] = [
    {
      key: 'number',
      header: t('runs.number'),
      width: 60,
      cell: ({ id, number }) => (
        <Link to={`${area.path}/${taskId}/runs/${id}`} className="plain-link figure">
          #{number}
        </Link>
      ),
    },
    {
      key: 'status',
      header: t('runs.columns.status'),
      width: 180,
      cell: ({ status, counts, failedOf }) => (
        <>
          <RunStatus status={status} counts={counts} area={area.prefix} short />
          {failedOf !== null && (
            <Text size="xs" c="dimmed">
              {t('runs.reprocess.short')}
            </Text>
          )}
        </>
      ),
    },
    { key: 'started', header: t('runs.columns.started'), cell: ({ startedAt }) => <Ago time={startedAt} /> },
    {
      key: 'duration',
      header: t('runs.columns.duration'),
      from: 'sm',
      cell: ({ startedAt, finishedAt }) =>
        startedAt === null || finishedAt === null ? (
          ''
        ) : (
          <Duration ms={Date.parse(finishedAt) - Date.parse(startedAt)} />
        ),
    },
    count('in'),
    count('kept', 'sm'),
    count('dropped', 'sm'),
    count('failed', 'sm'),
    { key: 'by', header: t('runs.columns.startedBy'), from: 'md', cell: ({ createdBy }) => createdBy },
  ];
  if (runs.isError) return <ErrorPanel error={runs.error} onRetry={() => void runs.refetch()} />;
  if (runs.data?.content.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {t('runs.title')}
      </Title>
      <DataTable
        label={t('runs.title')}
        columns={columns}
        rows={runs.data?.content}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: `${area.path}/$taskId/runs/$runId`, params: { taskId, runId: id } })}
        expectedRows={2}
      />
      {runs.data !== undefined && runs.data.totalPages > 1 && <Pager {...runs.data} onChange={setAt} />}
      <RunRetention />
    </Stack>
  );
}

/** How long runs are kept. */
function RunRetention() {
  const { t } = useTranslation();
  const { data } = useQuery(retentionQuery);
  if (data === undefined) return null;
  const { runDays, runsKeptPerTask: kept } = data;
  return (
    <Text size="xs" c="dimmed">
      {runDays === null ? t('runs.retention.forGood') : t('runs.retention.days', { count: runDays, kept })}
    </Text>
  );
}
