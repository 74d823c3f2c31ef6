import { Group, Progress, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconDatabase, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../messages/sentences.ts';
import type { Dataset, ListedRun } from '../../api/schema.ts';
import { allRunsQuery } from '../../runs/all-runs-queries.ts';
import { addressOfRun, unnamedRun } from '../../runs/run-address.ts';
import { RunStatus } from '../../runs/run-status.tsx';
import { useAreas } from '../../shell/area.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, Bytes, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { datasetsQuery } from '../data-management/dataset-queries.ts';
import { useInterruptedUploads } from '../data-management/uploads/use-interrupted-uploads.ts';
import { Panel } from '../../ui/panel.tsx';
import { useFailedContent } from './failed-content.ts';
import { FirstSteps } from './first-steps.tsx';
import { latestEvents, type HomeEvent } from './latest-events.ts';
import { outcomeOf } from './run-days.ts';
import { RunTimeline } from './run-timeline.tsx';

const shown = 6;
const latest = 50;
const looked = 1_000;
const timelineMs = 60_000;

/** What needs attention, what is running, recent events, and links to continue; without data, the first steps. */
export function HomePage() {
  const { t } = useTranslation();
  const recent = useQuery({ ...datasetsQuery({ size: shown, sort: 'updatedAt,desc' }), refetchInterval: 10_000 });
  const all = useQuery(allRunsQuery({ size: latest }));
  const timeline = useQuery({ ...allRunsQuery({ size: looked }), refetchInterval: timelineMs });
  const problem = [recent, all, timeline].find(({ isError }) => isError);
  if (problem !== undefined)
    return (
      <Page title={t('home.title')}>
        <ErrorPanel error={problem.error} onRetry={() => void problem.refetch()} />
      </Page>
    );
  if (recent.data === undefined || all.data === undefined || timeline.data === undefined)
    return (
      <Page title={t('home.title')} lead={t('home.lead')}>
        <Skeleton height={84} />
        <Skeleton height={120} />
        <Skeleton height={240} />
      </Page>
    );
  const datasets = recent.data;
  const runs = all.data.content;
  const hasFiles = datasets.content.some(({ fileCount }) => fileCount > 0);
  const hasRun = runs.some(({ status }) => status === 'COMPLETED');
  return (
    <Page title={t('home.title')} lead={t('home.lead')}>
      {!(hasFiles && hasRun) && <FirstSteps datasets={datasets.content} hasFiles={hasFiles} />}
      {datasets.totalElements > 0 && (
        <>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Attention runs={runs} />
            <Running runs={runs} />
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <ListPanel title={t('home.timeline.title')} more={<Link to="/runs">{t('home.allRuns')}</Link>}>
              <RunTimeline runs={timeline.data.content} />
              {timeline.data.totalElements > looked && (
                <Text size="xs" c="dimmed">
                  {t('home.timeline.cut', { count: looked })}
                </Text>
              )}
            </ListPanel>
            <ListPanel title={t('home.changes')}>
              {latestEvents(datasets.content, runs, shown).map((event) => (
                <EventRow key={`${event.kind} ${event.id}`} event={event} />
              ))}
            </ListPanel>
          </SimpleGrid>
          <ListPanel title={t('home.recent')} more={<Link to="/datasets">{t('home.allDatasets')}</Link>}>
            {datasets.content.map((dataset) => (
              <RecentDataset key={dataset.id} dataset={dataset} />
            ))}
          </ListPanel>
        </>
      )}
    </Page>
  );
}

/**
 * Runs that failed or have failed samples, the latest of each task; files and documents that failed; and uploads waiting
 * for their files.
 */
function Attention({ runs }: { runs: readonly ListedRun[] }) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const interrupted = useInterruptedUploads().data ?? [];
  const latestOfTasks = [...new Map(runs.toReversed().map((run) => [run.taskId, run])).values()].toReversed();
  const bad = latestOfTasks.filter((run) => ['failed', 'withFailures'].includes(outcomeOf(run))).slice(0, shown);
  const failed = useFailedContent(shown);
  const found = bad.length + interrupted.length + failed.datasets.length + failed.bases.length;
  return (
    <ListPanel title={t('home.attention')}>
      {found === 0 && failed.isKnown && <Nothing text={t('home.nothingFailed')} />}
      {interrupted.map(({ reqId, datasetId, missing }) => (
        <Link key={reqId} to="/datasets/$datasetId/upload" params={{ datasetId }} className="plain-link">
          <Text size="sm" fw={600}>
            {t('data.interrupted', { count: missing.length })}
          </Text>
          <Text size="xs" c="dimmed" lineClamp={1}>
            {missing.join(', ')}
          </Text>
        </Link>
      ))}
      {failed.datasets.map(({ id, name, errorCount }) => (
        <Link
          key={id}
          to="/datasets/$datasetId/files"
          params={{ datasetId: id }}
          search={{ status: 'ERROR' }}
          className="plain-link"
        >
          <Text size="sm" fw={600} className="wraps" data-verbatim>
            {name}
          </Text>
          <Text size="xs" c="red">
            {t('home.failedFiles', { count: errorCount, shown: formatCount(errorCount, locale) })}
          </Text>
        </Link>
      ))}
      {failed.more > 0 && (
        <Text size="xs" c="dimmed">
          {t('home.moreFailedDatasets', { count: failed.more, shown: formatCount(failed.more, locale) })}
        </Text>
      )}
      {failed.bases.map(({ base, failed: documents }) => (
        <Link
          key={base.id}
          to="/knowledge/$knowledgeBaseId/documents"
          params={{ knowledgeBaseId: base.id }}
          search={{ status: 'FAILED' }}
          className="plain-link"
        >
          <Text size="sm" fw={600} className="wraps" data-verbatim>
            {base.name}
          </Text>
          <Text size="xs" c="red">
            {t('home.failedDocuments', { count: documents, shown: formatCount(documents, locale) })}
          </Text>
        </Link>
      ))}
      {bad.map((run) => (
        <div key={run.id}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <RunLink run={run} />
            <RunStatus status={run.status} counts={run.counts} area={run.area} short />
          </Group>
          <Text size="xs" c={run.status === 'FAILED' ? 'red' : 'dimmed'} lineClamp={2}>
            {run.error === null ? run.failures[0] !== undefined && say(run.failures[0], 'reason') : say(run, 'error')}
          </Text>
        </div>
      ))}
    </ListPanel>
  );
}

function Running({ runs }: { runs: readonly ListedRun[] }) {
  const { t } = useTranslation();
  const going = runs.filter(({ status }) => status === 'RUNNING' || status === 'QUEUED').slice(0, shown);
  return (
    <ListPanel title={t('home.running')}>
      {going.length === 0 && <Nothing text={t('home.nothingRuns')} />}
      {going.map((run) => (
        <div key={run.id}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <RunLink run={run} />
            <Text size="xs" c="dimmed" className="figure">
              {Math.floor(run.progress)} %
            </Text>
          </Group>
          <Progress value={run.progress} size="sm" animated aria-label={run.taskName ?? t('runs.progress')} />
        </div>
      ))}
    </ListPanel>
  );
}

/** A run by its task and number; a long name is clipped, the number is not. */
function RunLink({ run }: { run: ListedRun }) {
  const { t } = useTranslation();
  const areas = useAreas().flatMap(({ tasks }) => (tasks === undefined ? [] : [tasks]));
  const to = addressOfRun(run, areas);
  const name = (
    <span className="run-name">
      <span className="run-task" title={run.within?.name}>
        {run.taskName ?? run.within?.name ?? t(unnamedRun(run))}
      </span>{' '}
      <span className="figure">#{run.number}</span>
    </span>
  );
  return (
    <Text size="sm" fw={600} component="div" className="recent-name">
      {to === undefined ? (
        name
      ) : (
        <Link to={to} className="plain-link">
          {name}
        </Link>
      )}
    </Text>
  );
}

function EventRow({ event }: { event: HomeEvent }) {
  const { t } = useTranslation();
  const Icon = event.kind === 'run' ? IconPlayerPlay : IconDatabase;
  return (
    <div className="recent-row">
      <Icon size={15} className="dimmed-icon" aria-hidden />
      {event.kind === 'run' ? (
        <>
          <RunLink run={event.run} />
          <RunStatus status={event.run.status} counts={event.run.counts} area={event.run.area} short />
        </>
      ) : (
        <Text size="sm" truncate className="recent-name">
          <Link to="/datasets/$datasetId" params={{ datasetId: event.id }} className="plain-link">
            {event.dataset.name}
          </Link>{' '}
          <Text span inherit c="dimmed">
            {t('home.version', { version: event.dataset.version, name: event.dataset.updatedBy })}
          </Text>
        </Text>
      )}
      <Text size="xs" c="dimmed" component="div" className="recent-time">
        <Ago time={event.time} />
      </Text>
    </div>
  );
}

function ListPanel({ title, more, children }: { title: string; more?: ReactNode; children: ReactNode }) {
  return (
    <Panel title={title} more={more}>
      <Stack gap="xs">{children}</Stack>
    </Panel>
  );
}

function Nothing({ text }: { text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}

function RecentDataset({ dataset }: { dataset: Dataset }) {
  const { t } = useTranslation();
  const locale = useLocale();
  return (
    <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }} className="plain-link recent-row">
      <Text size="sm" fw={600} truncate className="upload-name">
        {dataset.name}
      </Text>
      <span className="wide-only">
        <StatusBadge status={dataset.status} />
      </span>
      <Text size="xs" c="dimmed" w={90} ta="right" component="div" className="wide-only">
        {t('home.fileCount', { count: dataset.fileCount, files: formatCount(dataset.fileCount, locale) })}
      </Text>
      <Text size="xs" c="dimmed" w={80} ta="right" component="div">
        <Bytes value={dataset.totalSize} />
      </Text>
      <Text size="xs" c="dimmed" w={110} ta="right" component="div">
        <Ago time={dataset.updatedAt} />
      </Text>
    </Link>
  );
}
