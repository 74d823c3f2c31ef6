import { Alert, Anchor, Breadcrumbs, Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Run } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { LinkTabs } from '../../ui/tabs.tsx';
import { CountsView } from '../../runs/counts-view.tsx';
import { RunActions } from '../../runs/run-actions.tsx';
import { RunHead } from '../../runs/run-head.tsx';
import { runQuery } from '../../runs/run-queries.ts';
import { useLiveRun } from '../../runs/use-live-run.ts';
import { cleaning, taskQuery } from './cleaning-queries.ts';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId');
const tabs = ['overview', 'ledger', 'thresholds', 'log'] as const;
type Tab = (typeof tabs)[number];

/** A run, live: how far it is, what became of the samples, and why. */
export function RunPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(taskId));
  const run = useQuery(runQuery(cleaning, taskId, runId));
  const live = useLiveRun(cleaning, taskId, run.data);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const failed = [task, run].find(({ isError }) => isError);
  if (failed !== undefined) return <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />;
  const params = { taskId, runId };
  const open = (next: Tab): void =>
    void navigate(
      next === 'overview'
        ? { to: '/cleaning/$taskId/runs/$runId', params }
        : { to: `/cleaning/$taskId/runs/$runId/${next}`, params },
    );
  const tab = tabs.find((each) => path.endsWith(`/${each}`)) ?? 'overview';
  const isLatest = task.data?.lastRunId === runId;
  return (
    <Page
      title={task.data?.name}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/cleaning" size="sm">
            {t('cleaning.title')}
          </Anchor>
          <Anchor component={Link} to={`/cleaning/${taskId}`} size="sm">
            {task.data?.name ?? '…'}
          </Anchor>
          <span>{t('runs.run')}</span>
        </Breadcrumbs>
      }
      actions={
        task.data !== undefined && isLatest && <RunActions area={cleaning} taskId={taskId} status={task.data.status} />
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
          <RunHead run={run.data} live={live}>
            <Outcome
              run={run.data}
              targetId={task.data?.targetDatasetId ?? undefined}
              targetName={task.data?.targetDatasetName ?? ''}
            />
          </RunHead>
          <div className={tab === 'overview' ? undefined : 'wide-only'}>
            <CountsView counts={run.data.counts} />
          </div>
          <LinkTabs
            label={t('runs.run')}
            value={tab}
            onChange={open}
            tabs={tabs.map((value) => ({ value, label: t(`cleaning.run.tabs.${value}`) }))}
          />
          <Outlet />
        </>
      )}
    </Page>
  );
}

/** What came of a run that has ended: the dataset that it wrote, and the samples that failed. */
function Outcome(props: { run: Run; targetId: string | undefined; targetName: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { run, targetId, targetName } = props;
  if (run.status !== 'COMPLETED' || targetId === undefined) return null;
  return (
    <Alert color={run.counts.failed > 0 ? 'orange' : 'green'} title={t('cleaning.run.done')}>
      <Group gap="lg">
        <Link to="/datasets/$datasetId/files" params={{ datasetId: targetId }}>
          {t('cleaning.run.openTarget', { name: targetName })}
        </Link>
        {run.counts.failed > 0 && (
          <Link
            to="/cleaning/$taskId/runs/$runId/ledger"
            params={{ taskId: run.taskId, runId: run.id }}
            search={{ verdict: 'FAILED' }}
          >
            {t('cleaning.run.failedSamples', {
              count: run.counts.failed,
              failed: formatCount(run.counts.failed, locale),
              all: formatCount(run.counts.in, locale),
            })}
          </Link>
        )}
      </Group>
    </Alert>
  );
}
