import { Anchor, Breadcrumbs, SimpleGrid, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schedule } from '../api/schema.ts';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { Page } from '../ui/page.tsx';
import { LatestRun, type RanTask } from './latest-run.tsx';
import { RunActions } from './run-actions.tsx';
import type { RunArea } from './run-area.ts';
import { RunList } from './run-list.tsx';
import { TaskMenu, type TaskAction } from './task-menu.tsx';
import { TaskSchedule } from './task-schedule.tsx';

type FramedTask = RanTask & { description: string; schedule: Schedule | null };

type Props<Task extends FramedTask> = {
  area: RunArea;
  query: { data: Task | undefined; error: Error | null; refetch: () => unknown };
  /** Why the task can't be run. */
  cannotRun?: (task: Task) => string | undefined;
  /** Actions of this area only, in the menu between those of every task. */
  actions?: (task: Task) => readonly TaskAction[];
  /** A problem of the task, shown above everything else. */
  alert?: (task: Task) => ReactNode;
  /** The forecast of a run; it replaces the note that there has been no run yet. */
  forecast?: (task: Task) => ReactNode;
  /** The definition of the task: panels side by side. */
  definition: (task: Task) => ReactNode;
  /** The results of its runs, below the list of runs. */
  results?: (task: Task) => ReactNode;
};

/** The page of a task of any area: its actions, latest run, definition, schedule and runs. */
export function TaskFrame<Task extends FramedTask>(props: Props<Task>) {
  const { t } = useTranslation();
  const { area, query, cannotRun, actions, alert, forecast, definition, results } = props;
  if (query.error !== null) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  const task = query.data;
  return (
    <Page
      title={task?.name}
      lead={task?.description}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to={area.path} size="sm">
            {t(`${area.name}.title`)}
          </Anchor>
          <span>{task?.name ?? '…'}</span>
        </Breadcrumbs>
      }
      actions={
        task !== undefined && (
          <>
            <RunActions area={area} taskId={task.id} status={task.status} cannotRun={cannotRun?.(task)} />
            <TaskMenu area={area} task={task} actions={actions?.(task) ?? []} />
          </>
        )
      }
    >
      {task === undefined ? (
        <Skeleton height={240} />
      ) : (
        <>
          {alert?.(task)}
          {(task.lastRunId !== null || forecast === undefined) && <LatestRun area={area} task={task} />}
          {forecast?.(task)}
          <SimpleGrid cols={{ base: 1, md: 2 }}>{definition(task)}</SimpleGrid>
          <TaskSchedule area={area} task={task} />
          <RunList area={area} taskId={task.id} />
          {results?.(task)}
        </>
      )}
    </Page>
  );
}
