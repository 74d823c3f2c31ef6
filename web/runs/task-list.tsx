import { Button, Group, Progress, Select, Stack, Text } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CleaningTask, Schedule } from '../api/schema.ts';
import { DataTable, type Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { Ago, Count } from '../ui/figures.tsx';
import { readSort, writeSort } from '../ui/list-search.ts';
import { Pager } from '../ui/pager.tsx';
import { SearchField } from '../ui/search-field.tsx';
import type { RanTask } from './latest-run.tsx';
import { countsTexts, inputsOf, type RunArea } from './run-area.ts';
import { RunStatus } from './run-status.tsx';
import { useScheduleInWords } from './schedule-in-words.ts';
import type { TasksSearch } from './tasks-search.ts';

const statuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;

/** The fields of every task in the list of its area. */
type ListedTask = RanTask & Pick<CleaningTask, 'createdAt'> & { schedule: Schedule | null };

type Props<Task extends ListedTask> = {
  area: RunArea;
  title: string;
  search: TasksSearch;
  /** Writes the filters to the address; resets to the first page unless one is given. */
  onChange: (next: Partial<TasksSearch>) => void;
  list: {
    data: { content: Task[]; page: number; size: number; totalElements: number; totalPages: number } | undefined;
    error: Error | null;
    isPlaceholderData: boolean;
    refetch: () => unknown;
  };
  /** Source and target, as one line. */
  describe: (task: Task) => string;
  /** Columns of this area only, after the counts. */
  columns?: readonly Column<Task>[];
  /** Shown while there are no tasks. */
  empty: { icon: ComponentType<{ size?: number }>; title: string; lead: ReactNode; action: ReactNode };
};

/** The tasks of an area, filtered and sorted by the address, each with the state and counts of its latest run. */
export function TaskList<Task extends ListedTask>(props: Props<Task>) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { area, title, search, onChange, list, empty } = props;
  const columns = useColumns(area, props.describe, props.columns);
  const isFiltered = search.keyword !== undefined || search.status !== undefined;
  return (
    <>
      <Group gap="xs" component="search">
        <SearchField
          label={t('runs.searchTasks')}
          value={search.keyword}
          onChange={(keyword) => onChange({ keyword })}
        />
        <Select
          aria-label={t('datasets.columns.status')}
          placeholder={t('datasets.allStatuses')}
          data={statuses.map((status) => ({ value: status, label: t(`common.status.${status}`) }))}
          value={search.status ?? null}
          clearable
          onChange={(status) => onChange({ status: status ?? undefined })}
          w={150}
        />
      </Group>
      {list.error !== null ? (
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data?.content.length !== 0 ? (
        <Stack gap="xs">
          <DataTable
            label={title}
            columns={columns}
            rows={list.data?.content}
            idOf={({ id }) => id}
            sort={readSort(search.sort) ?? { field: 'createdAt', direction: 'desc' }}
            onSort={(sort) => onChange({ sort: writeSort(sort) })}
            onOpen={({ id }) => void navigate({ to: `${area.path}/$taskId`, params: { taskId: id } })}
            stale={list.isPlaceholderData}
          />
          {list.data !== undefined && (
            <Pager {...list.data} onChange={(next) => onChange({ page: next.page || undefined, size: next.size })} />
          )}
        </Stack>
      ) : isFiltered ? (
        <EmptyState
          icon={IconSearch}
          title={t('common.list.nothingFound')}
          action={
            <Button variant="light" onClick={() => onChange({ keyword: undefined, status: undefined })}>
              {t('common.actions.clearFilters')}
            </Button>
          }
        />
      ) : (
        <EmptyState {...empty} />
      )}
    </>
  );
}

function useColumns<Task extends ListedTask>(
  area: RunArea,
  describe: (task: Task) => string,
  own: readonly Column<Task>[] = [],
): Column<Task>[] {
  const { t } = useTranslation();
  const inWords = useScheduleInWords();
  const count = (name: 'in' | 'kept' | 'dropped', from: 'sm' | 'md'): Column<Task> => ({
    key: name,
    header: t(`runs.${countsTexts[inputsOf(area)]}.${name}`),
    align: 'right',
    width: inputsOf(area) === 'items' && name === 'dropped' ? 150 : 90,
    from,
    cell: ({ counts }) => <Count value={counts[name]} />,
  });
  return [
    {
      key: 'name',
      header: t('runs.columns.name'),
      sortField: 'name',
      cell: (task) => (
        <div>
          <Link to={`${area.path}/${task.id}`} className="plain-link">
            <Text span size="sm" fw={600} className="wraps">
              {task.name}
            </Text>
          </Link>
          <Text size="xs" c="dimmed" lineClamp={1}>
            {describe(task)}
          </Text>
          {task.schedule !== null && (
            <Text size="xs" c="dimmed" lineClamp={1}>
              {inWords(task.schedule.cron)}
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'status',
      header: t('runs.columns.status'),
      width: 190,
      cell: (task) => (
        <Stack gap={4}>
          <RunStatus status={task.status} counts={task.counts} area={area.prefix} short />
          {task.status === 'RUNNING' && <Progress value={task.progress} size="xs" animated aria-label={task.name} />}
        </Stack>
      ),
    },
    count('in', 'sm'),
    count('kept', 'sm'),
    count('dropped', 'md'),
    {
      key: 'failed',
      header: t('runs.counts.failed'),
      align: 'right',
      width: 90,
      from: 'md',
      cell: ({ counts }) => (
        <Text span inherit c={counts.failed > 0 ? 'red' : undefined}>
          <Count value={counts.failed} />
        </Text>
      ),
    },
    ...own,
    {
      key: 'finished',
      header: t('runs.columns.finished'),
      width: 140,
      from: 'lg',
      cell: ({ finishedAt }) => <Ago time={finishedAt} />,
    },
    {
      key: 'createdAt',
      header: t('runs.columns.created'),
      sortField: 'createdAt',
      width: 140,
      from: 'lg',
      cell: ({ createdAt }) => <Ago time={createdAt} />,
    },
  ];
}
