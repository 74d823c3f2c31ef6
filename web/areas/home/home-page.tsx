import { Alert, Button, Group, Progress, SimpleGrid, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCheck, IconDatabase, IconFilter, IconSparkles, IconUpload } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { CleaningTask, Dataset } from '../../api/schema.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, Bytes, Count } from '../../ui/figures.tsx';
import { Page } from '../../ui/page.tsx';
import { Stat } from '../../ui/stat.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { datasetsQuery } from '../data-management/dataset-queries.ts';
import { createSampleData } from './sample-data.ts';

const refreshMs = 3_000;
const shown = 5;

function tasksQuery(status: CleaningTask['status'] | undefined) {
  return {
    queryKey: ['home', 'tasks', status],
    queryFn: () => dataOf(api.GET('/api/v1/data-cleaning/tasks', { params: { query: { status, size: shown } } })),
    refetchInterval: refreshMs,
  };
}

/** What is going on, what went wrong and why, and where to go on; first steps while there is nothing yet. */
export function HomePage() {
  const { t } = useTranslation();
  const recent = useQuery(datasetsQuery({ size: shown, sort: 'updatedAt,desc' }));
  const running = useQuery(tasksQuery('RUNNING'));
  const failed = useQuery(tasksQuery('FAILED'));
  const all = useQuery(tasksQuery(undefined));
  const problem = [recent, running, failed, all].find(({ isError }) => isError);
  if (problem !== undefined)
    return (
      <Page title={t('home.title')}>
        <ErrorPanel error={problem.error} onRetry={() => void problem.refetch()} />
      </Page>
    );
  if (recent.data === undefined || running.data === undefined || failed.data === undefined || all.data === undefined)
    return (
      <Page title={t('home.title')} lead={t('home.lead')}>
        <Skeleton height={84} />
        <Skeleton height={88} />
        <Skeleton height={240} />
      </Page>
    );
  const datasets = recent.data;
  const taskCount = all.data.data.totalElements;
  const hasFiles = datasets.content.some(({ fileCount }) => fileCount > 0);
  const hasCleaned = all.data.data.content.some(({ status }) => status === 'COMPLETED');
  return (
    <Page title={t('home.title')} lead={t('home.lead')}>
      {!(hasFiles && hasCleaned) && (
        <FirstSteps datasets={datasets.content} hasFiles={hasFiles} hasCleaned={hasCleaned} />
      )}
      {datasets.totalElements > 0 && (
        <>
          <Totals datasetCount={datasets.totalElements} taskCount={taskCount} />
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Panel title={t('home.running')}>
              {running.data.data.content.length === 0 ? (
                <Nothing text={t('home.nothingRuns')} />
              ) : (
                running.data.data.content.map((task) => <RunningTask key={task.id} task={task} />)
              )}
            </Panel>
            <Panel title={t('home.failed')}>
              {failed.data.data.content.length === 0 ? (
                <Nothing text={t('home.nothingFailed')} />
              ) : (
                failed.data.data.content.map((task) => <FailedTask key={task.id} task={task} />)
              )}
            </Panel>
          </SimpleGrid>
          <Panel title={t('home.recent')} more={<Link to="/datasets">{t('home.allDatasets')}</Link>}>
            {datasets.content.map((dataset) => (
              <RecentDataset key={dataset.id} dataset={dataset} />
            ))}
          </Panel>
        </>
      )}
    </Page>
  );
}

function Totals({ datasetCount, taskCount }: { datasetCount: number; taskCount: number }) {
  const { t } = useTranslation();
  // The largest hundred hold what matters of the storage; the figure says when there are more.
  const largest = useQuery(datasetsQuery({ size: 1000, sort: 'totalSize,desc' }));
  const rows = largest.data?.content ?? [];
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Stat label={t('home.datasets')}>
        <Count value={datasetCount} />
      </Stat>
      <Stat label={t('home.files')}>
        <Count value={rows.reduce((sum, { fileCount }) => sum + fileCount, 0)} />
      </Stat>
      <Stat label={t('home.storage')} hint={t('home.storageHint')}>
        <Bytes value={rows.reduce((sum, { totalSize }) => sum + totalSize, 0)} />
      </Stat>
      <Stat label={t('home.tasks')}>
        <Count value={taskCount} />
      </Stat>
    </SimpleGrid>
  );
}

function FirstSteps(props: { datasets: readonly Dataset[]; hasFiles: boolean; hasCleaned: boolean }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const { datasets, hasFiles, hasCleaned } = props;
  const first = datasets.find(({ fileCount }) => fileCount > 0) ?? datasets[0];
  const sample = useMutation({
    mutationFn: () => createSampleData(t('home.sample.name'), t('home.sample.description'), queryClient),
    onSuccess: (datasetId) => navigate({ to: '/datasets/$datasetId/files', params: { datasetId } }),
  });
  if (!mayEdit) return datasets.length === 0 ? <Alert color="blue">{t('home.viewerEmpty')}</Alert> : null;
  return (
    <section className="panel" aria-label={t('home.steps.title')}>
      <Stack gap="sm">
        <Title order={2} size="h5">
          {t('home.steps.title')}
        </Title>
        <Step
          done={datasets.length > 0}
          icon={IconDatabase}
          title={t('home.steps.dataset')}
          lead={t('home.steps.datasetLead')}
        >
          <Button
            size="xs"
            variant={datasets.length > 0 ? 'default' : 'filled'}
            onClick={() => void navigate({ to: '/datasets', search: { new: true } })}
          >
            {t('home.steps.datasetAction')}
          </Button>
        </Step>
        <Step done={hasFiles} icon={IconUpload} title={t('home.steps.upload')} lead={t('home.steps.uploadLead')}>
          <Button
            size="xs"
            variant={first !== undefined && !hasFiles ? 'filled' : 'default'}
            disabled={first === undefined}
            onClick={() =>
              first !== undefined &&
              void navigate({ to: '/datasets/$datasetId/upload', params: { datasetId: first.id } })
            }
          >
            {t('home.steps.uploadAction')}
          </Button>
        </Step>
        <Step done={hasCleaned} icon={IconFilter} title={t('home.steps.clean')} lead={t('home.steps.cleanLead')}>
          <Button
            size="xs"
            variant={hasFiles && !hasCleaned ? 'filled' : 'default'}
            disabled={!hasFiles}
            onClick={() => void navigate({ to: '/cleaning/new', search: { dataset: first?.id } })}
          >
            {t('home.steps.cleanAction')}
          </Button>
        </Step>
        {!hasFiles && (
          <Group gap="xs">
            <Button
              size="xs"
              variant="light"
              leftSection={<IconSparkles size={14} />}
              loading={sample.isPending}
              onClick={() => sample.mutate()}
            >
              {t('home.sample.action')}
            </Button>
            <Text size="sm" c="dimmed">
              {t('home.sample.lead')}
            </Text>
          </Group>
        )}
        {sample.isError && <ErrorPanel error={sample.error} />}
      </Stack>
    </section>
  );
}

function Step(props: {
  done: boolean;
  icon: ComponentType<{ size?: number }>;
  title: string;
  lead: string;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const Icon = props.done ? IconCheck : props.icon;
  return (
    <Group gap="sm" wrap="nowrap" justify="space-between">
      <Group gap="sm" wrap="nowrap">
        <ThemeIcon
          radius="xl"
          variant="light"
          color={props.done ? 'green' : 'gray'}
          {...(props.done ? { role: 'img', 'aria-label': t('home.steps.done') } : {})}
        >
          <Icon size={16} />
        </ThemeIcon>
        <div>
          <Text size="sm" fw={600}>
            {props.title}
          </Text>
          <Text size="xs" c="dimmed">
            {props.lead}
          </Text>
        </div>
      </Group>
      {props.children}
    </Group>
  );
}

function Panel({ title, more, children }: { title: string; more?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel" aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        <Text size="sm" component="div">
          {more}
        </Text>
      </Group>
      <Stack gap="xs">{children}</Stack>
    </section>
  );
}

function Nothing({ text }: { text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}

function RunningTask({ task }: { task: CleaningTask }) {
  return (
    <Link to="/cleaning/$taskId" params={{ taskId: task.id }} className="plain-link">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" truncate>
          {task.name}
        </Text>
        <Text size="xs" c="dimmed" className="figure">
          {Math.floor(task.progress)} %
        </Text>
      </Group>
      <Progress value={task.progress} size="sm" animated aria-label={task.name} />
    </Link>
  );
}

function FailedTask({ task }: { task: CleaningTask }) {
  const { t } = useTranslation();
  const run = useQuery({
    queryKey: ['home', 'run', task.id, task.lastRunId],
    queryFn: () =>
      dataOf(
        api.GET('/api/v1/data-cleaning/tasks/{id}/runs/{runId}', {
          params: { path: { id: task.id, runId: task.lastRunId ?? '' } },
        }),
      ),
    enabled: task.lastRunId !== null,
  });
  return (
    <Link to="/cleaning/$taskId" params={{ taskId: task.id }} className="plain-link">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={600} truncate>
          {task.name}
        </Text>
        <Text size="xs" c="dimmed">
          <Ago time={task.finishedAt} />
        </Text>
      </Group>
      <Text size="xs" c="red" lineClamp={2}>
        {run.data?.data.error ?? t('home.reasonLoading')}
      </Text>
    </Link>
  );
}

function RecentDataset({ dataset }: { dataset: Dataset }) {
  return (
    <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }} className="plain-link recent-row">
      <Text size="sm" fw={600} truncate className="upload-name">
        {dataset.name}
      </Text>
      <span className="wide-only">
        <StatusBadge status={dataset.status} />
      </span>
      <Text size="xs" c="dimmed" w={80} ta="right" component="div">
        <Bytes value={dataset.totalSize} />
      </Text>
      <Text size="xs" c="dimmed" w={110} ta="right" component="div">
        <Ago time={dataset.updatedAt} />
      </Text>
    </Link>
  );
}
