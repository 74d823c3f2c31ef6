import { Button, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { IconPlayerPlay, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ListedRun } from '../../api/schema.ts';
import { RunStatus } from '../../runs/run-status.tsx';
import { useAreas, type TaskPages } from '../../shell/area.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, Count, Duration, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { allRunsQuery } from '../../runs/all-runs-queries.ts';
import { addressOfRun, areaOfRun, unnamedRun } from '../../runs/run-address.ts';
import type { RunsSearch } from './runs-search.ts';

const route = getRouteApi('/shell/runs');
const statuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;

/** The runs of all areas, newest first, filtered by area, state and user. */
export function RunsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { page = 0, size = 50, area, status, by } = route.useSearch();
  const areas = useAreas().flatMap(({ tasks }) => (tasks === undefined ? [] : [tasks]));
  const list = useQuery(allRunsQuery({ page, size, area, status, createdBy: by }));
  const change = (next: Partial<RunsSearch>): void =>
    void navigate({
      to: '/runs',
      search: (old: RunsSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const isFiltered = area !== undefined || status !== undefined || by !== undefined;
  const columns = useColumns(areas);
  return (
    <Page title={t('shell.places.runs')} lead={t('runs.all.lead')}>
      <Group gap="xs" component="search">
        {areas.length > 1 && (
          <Select
            aria-label={t('runs.all.area')}
            placeholder={t('runs.all.anyArea')}
            data={areas.map(({ prefix, label }) => ({ value: prefix, label: label(t) }))}
            value={area ?? null}
            clearable
            onChange={(next) => change({ area: next ?? undefined })}
            w={160}
          />
        )}
        <Select
          aria-label={t('runs.columns.status')}
          placeholder={t('runs.all.anyStatus')}
          data={statuses.map((value) => ({ value, label: t(`common.status.${value}`) }))}
          value={status ?? null}
          clearable
          onChange={(next) => change({ status: next ?? undefined })}
          w={160}
        />
        <SearchField label={t('runs.all.by')} value={by} onChange={(next) => change({ by: next })} width={200} />
      </Group>
      {list.isError ? (
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data?.content.length === 0 ? (
        <EmptyState
          icon={isFiltered ? IconSearch : IconPlayerPlay}
          title={isFiltered ? t('common.list.nothingFound') : t('runs.all.empty')}
          lead={isFiltered ? undefined : t('runs.all.emptyLead')}
          action={
            isFiltered ? (
              <Button variant="light" onClick={() => void navigate({ to: '/runs', search: {} })}>
                {t('common.actions.clearFilters')}
              </Button>
            ) : undefined
          }
        />
      ) : (
        <Stack gap="xs">
          <DataTable
            label={t('shell.places.runs')}
            columns={columns}
            rows={list.data?.content}
            idOf={({ id }) => id}
            onOpen={(run) => {
              const to = addressOfRun(run, areas);
              if (to !== undefined) void navigate({ to });
            }}
            stale={list.isPlaceholderData}
          />
          {list.data !== undefined && (
            <Pager {...list.data} onChange={(next) => change({ page: next.page || undefined, size: next.size })} />
          )}
        </Stack>
      )}
    </Page>
  );
}

function useColumns(areas: readonly TaskPages[]): Column<ListedRun>[] {
  const { t } = useTranslation();
  const count = (name: 'in' | 'kept' | 'dropped', from: 'sm' | 'lg'): Column<ListedRun> => ({
    key: name,
    header: t(`runs.counts.${name}`),
    align: 'right',
    width: 76,
    from,
    cell: ({ counts }) => <Count value={counts[name]} />,
  });
  return [
    { key: 'run', header: t('runs.number'), cell: (run) => <RunName run={run} areas={areas} /> },
    {
      key: 'status',
      header: t('runs.columns.status'),
      width: 180,
      cell: ({ status, counts, area, progress, taskName }) => (
        <Stack gap={4}>
          <RunStatus status={status} counts={counts} area={area} short />
          {status === 'RUNNING' && <Progress value={progress} size="xs" aria-label={taskName ?? t('runs.progress')} />}
        </Stack>
      ),
    },
    count('in', 'sm'),
    count('kept', 'lg'),
    count('dropped', 'lg'),
    {
      key: 'failed',
      header: t('runs.counts.failed'),
      align: 'right',
      width: 76,
      from: 'sm',
      cell: ({ counts }) => (
        <Text span inherit c={counts.failed > 0 ? 'red' : undefined}>
          <Count value={counts.failed} />
        </Text>
      ),
    },
    {
      key: 'started',
      header: t('runs.columns.started'),
      width: 120,
      from: 'sm',
      cell: ({ startedAt, createdAt }) => <Ago time={startedAt ?? createdAt} />,
    },
    {
      key: 'duration',
      header: t('runs.columns.duration'),
      width: 84,
      from: 'lg',
      cell: ({ startedAt, finishedAt }) =>
        startedAt === null || finishedAt === null ? (
          ''
        ) : (
          <Duration ms={Date.parse(finishedAt) - Date.parse(startedAt)} />
        ),
    },
    {
      key: 'by',
      header: t('runs.columns.startedBy'),
      width: 90,
      from: 'lg',
      cell: ({ createdBy }) => createdBy,
    },
  ];
}

/** The definition and number of a run, which link to its page, and its area. */
function RunName({ run, areas }: { run: ListedRun; areas: readonly TaskPages[] }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const to = addressOfRun(run, areas);
  const name = `${run.taskName ?? t(unnamedRun(run))} #${run.number}`;
  return (
    <div className="wraps">
      {to === undefined ? (
        name
      ) : (
        <Link to={to} className="plain-link">
          <Text span size="sm" fw={600}>
            {name}
          </Text>
        </Link>
      )}
      <Text size="xs" c="dimmed">
        {[
          areaOfRun(run, areas)?.label(t) ?? run.area,
          ...(run.within === null ? [] : [run.within.name]),
          // Runs of knowledge bases count documents as input; they emit chunks.
          ...(run.area.startsWith('rag') && run.counts.emitted > 0
            ? [t('runs.chunks', { count: run.counts.emitted, chunks: formatCount(run.counts.emitted, locale) })]
            : []),
        ].join(' · ')}
      </Text>
    </div>
  );
}
