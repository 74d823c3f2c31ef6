import { Anchor, Breadcrumbs, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Run, TaskStatus } from '../api/schema.ts';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { Page } from '../ui/page.tsx';
import { LinkTabs } from '../ui/tabs.tsx';
import { CountsView } from './counts-view.tsx';
import { RunActions } from './run-actions.tsx';
import { inputsOf, type RunArea } from './run-area.ts';
import { RunHead } from './run-head.tsx';
import { runQuery } from './run-queries.ts';
import { useLiveRun } from './use-live-run.ts';

/** Tabs that runs of several areas have: pages below the address of the run. An area without the route of one lacks it. */
const shared = ['overview', 'samples', 'log', 'outputs'] as const;

type Props = {
  area: RunArea;
  taskId: string;
  runId: string;
  /** The definition of the run; undefined while it is not loaded. */
  task: { name: string; status: TaskStatus; lastRunId: string | null } | undefined;
  /** Why the definition could not be loaded. */
  taskError: Error | null;
  /** Label of the samples tab, if the area names its inputs differently. */
  samplesName?: string;
  /** Tabs that only this area has, between the samples and the log. */
  tabs?: readonly { value: string; label: string }[];
  /** Result of the run, at the end of its header. */
  outcome?: (run: Run) => ReactNode;
};

/**
 * The page of run #n of any area, live: its state is shown above the tabs, each a page of the area's own routes; counts
 * only on the overview, so that samples have more room.
 */
export function RunFrame({ area, taskId, runId, task, taskError, samplesName, tabs = [], outcome }: Props) {
  const { t } = useTranslation();
  const run = useQuery(runQuery(area, taskId, runId));
  const live = useLiveRun(area, taskId, run.data);
  const { routesByPath } = useRouter();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const error = taskError ?? run.error;
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void run.refetch()} />;
  const number = run.data === undefined ? '…' : `#${run.data.number}`;
  const [overview, samples, ...rest] = shared.map((value) => ({
    value,
    label: value === 'samples' && samplesName !== undefined ? samplesName : t(`runs.tabs.${value}`),
  }));
  const isRoute = (tab: string): boolean => Object.hasOwn(routesByPath, `${area.path}/$taskId/runs/$runId/${tab}`);
  const all = [overview, samples, ...tabs, ...rest]
    .filter((tab) => tab !== undefined)
    .filter((tab) => tab === overview || isRoute(tab.value));
  const tab = all.find(({ value }) => path.endsWith(`/${value}`)) ?? overview;
  const address = `${area.path}/${taskId}/runs/${runId}`;
  return (
    <Page
      title={task === undefined ? undefined : `${task.name} ${number}`}
      section={tab?.label}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to={area.path} size="sm">
            {t(`${area.name}.title`)}
          </Anchor>
          <Anchor component={Link} to={`${area.path}/${taskId}`} size="sm">
            {task?.name ?? '…'}
          </Anchor>
          <span>
            {t('runs.run')} {number}
          </span>
        </Breadcrumbs>
      }
      actions={
        task !== undefined &&
        task.lastRunId === runId && <RunActions area={area} taskId={taskId} status={task.status} />
      }
    >
      {run.data === undefined ? (
        <>
          <Skeleton height={170} />
          <Skeleton height={120} />
          <Skeleton height={240} />
        </>
      ) : (
        <>
          <RunHead run={run.data} live={live} inputs={inputsOf(area)}>
            {run.data.failedOf !== null && (
              <Text size="xs" c="dimmed">
                {t('runs.reprocess.only')}{' '}
                <Link to={`${area.path}/${taskId}/runs/${run.data.failedOf}`}>{t('runs.reprocess.former')}</Link>
              </Text>
            )}
            {tab === overview && outcome?.(run.data)}
          </RunHead>
          {tab === overview && (
            <CountsView counts={run.data.counts} inputs={inputsOf(area)} skipped={run.data.skipped} />
          )}
          <LinkTabs
            label={t('runs.run')}
            value={tab?.value ?? 'overview'}
            tabs={all.map(({ value, label }) => ({
              value,
              label,
              to: value === 'overview' ? address : `${address}/${value}`,
            }))}
          />
          <Outlet />
        </>
      )}
    </Page>
  );
}
