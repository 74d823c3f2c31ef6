import { Alert, Anchor, Breadcrumbs, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CleaningRun } from '../../api/types.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, useLocale, useNow } from '../../ui/figures.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { LinkTabs } from '../../ui/tabs.tsx';
import { runQuery, taskQuery } from './cleaning-queries.ts';
import { CountsView } from './counts-view.tsx';
import { RunActions } from './run-actions.tsx';
import { useLiveRun, type LiveRun } from './use-live-run.ts';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId');
const tabs = ['overview', 'ledger', 'thresholds', 'log'] as const;
type Tab = (typeof tabs)[number];

/** A run, live: how far it is, what became of the samples, and why. */
export function RunPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(taskId));
  const run = useQuery(runQuery(taskId, runId));
  const live = useLiveRun(taskId, run.data);
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
          <span>{t('cleaning.run.title')}</span>
        </Breadcrumbs>
      }
      actions={task.data !== undefined && isLatest && <RunActions taskId={taskId} status={task.data.status} />}
    >
      {run.data === undefined ? (
        <>
          <Skeleton height={170} />
          <Skeleton height={120} />
          <Skeleton height={240} />
        </>
      ) : (
        <>
          <Head
            run={run.data}
            live={live}
            targetId={task.data?.targetDatasetId ?? undefined}
            targetName={task.data?.targetDatasetName ?? ''}
          />
          <div className={tab === 'overview' ? undefined : 'wide-only'}>
            <CountsView counts={run.data.counts} />
          </div>
          <LinkTabs
            label={t('cleaning.run.title')}
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

function Head(props: { run: CleaningRun; live: LiveRun; targetId: string | undefined; targetName: string }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { run, live, targetId, targetName } = props;
  const isGoing = run.status === 'QUEUED' || run.status === 'RUNNING';
  const now = useNow(1_000);
  const started = run.startedAt === null ? undefined : Date.parse(run.startedAt);
  const elapsedMs =
    started === undefined
      ? 0
      : Math.max(0, (run.finishedAt === null ? now.getTime() : Date.parse(run.finishedAt)) - started);
  const leftMs = run.progress > 1 && isGoing ? (elapsedMs / run.progress) * (100 - run.progress) : undefined;
  return (
    <section className="panel" aria-label={t('cleaning.run.title')}>
      <Stack gap="xs">
        <Group gap="md">
          <div aria-live="polite">
            <StatusBadge status={run.status} />
          </div>
          <Text size="sm" className="figure">
            {Math.floor(run.progress)} %
          </Text>
          <Text size="sm" c="dimmed" className="figure">
            {formatDuration(elapsedMs, locale)}
          </Text>
          {live.perSecond !== undefined && isGoing && (
            <Text size="sm" c="dimmed" className="figure">
              {t('cleaning.run.perSecond', { rate: formatCount(Math.round(live.perSecond), locale) })}
            </Text>
          )}
          {leftMs !== undefined && (
            <Text size="sm" c="dimmed" className="figure">
              {t('common.time.left', { duration: formatDuration(Math.max(1000, leftMs), locale) })}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            <Ago time={run.startedAt ?? run.createdAt} /> {t('datasets.detail.by', { name: run.createdBy })}
          </Text>
          {isGoing && live.connection === 'reconnecting' && (
            <Text size="sm" c="orange">
              {t('cleaning.run.reconnecting')}
            </Text>
          )}
        </Group>
        <Progress
          value={run.progress}
          animated={isGoing}
          color={run.status === 'FAILED' ? 'red' : run.status === 'STOPPED' ? 'orange' : undefined}
          aria-label={t('cleaning.run.progress')}
        />
        {run.error !== null && (
          <Alert color="red" title={t('cleaning.run.failedWhy')}>
            {run.error}
          </Alert>
        )}
        {run.resumedFrom !== null && (
          <Text size="xs" c="dimmed">
            {t('cleaning.run.resumed')}
          </Text>
        )}
        {run.status === 'COMPLETED' && targetId !== undefined && (
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
        )}
      </Stack>
    </section>
  );
}
