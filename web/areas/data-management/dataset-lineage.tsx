import { SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { CleaningTask } from '../../api/schema.ts';
import { RunStatus } from '../../runs/run-status.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago } from '../../ui/figures.tsx';

const route = getRouteApi('/shell/datasets/$datasetId/lineage');
const most = 1_000;

/** Which tasks created the dataset from which others, and what is created from it. */
export function DatasetLineage() {
  const { t } = useTranslation();
  const { datasetId } = route.useParams();
  const tasks = useQuery({
    queryKey: ['data-cleaning', 'tasks', 'lineage'],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v1/data-cleaning/tasks', { params: { query: { size: most } } }))).data,
  });
  if (tasks.isError) return <ErrorPanel error={tasks.error} onRetry={() => void tasks.refetch()} />;
  if (tasks.data === undefined) return <Skeleton height={200} />;
  const makers = tasks.data.content.filter(({ targetDatasetId }) => targetDatasetId === datasetId);
  const users = tasks.data.content.filter(({ sourceDatasetId }) => sourceDatasetId === datasetId);
  const comparers = tasks.data.content.filter(({ steps }) =>
    steps.some(({ params }) => namesDataset(params, datasetId)),
  );
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Side title={t('data.lineage.madeBy')} empty={t('data.lineage.uploaded')}>
          {makers.map((task) => (
            <Step key={task.id} task={task} id={task.sourceDatasetId} name={task.sourceDatasetName} isBefore />
          ))}
        </Side>
        <Side title={t('data.lineage.usedBy')} empty={t('data.lineage.unused')}>
          {users.map((task) => (
            <Step key={task.id} task={task} id={task.targetDatasetId} name={task.targetDatasetName} isBefore={false} />
          ))}
        </Side>
      </SimpleGrid>
      {comparers.length > 0 && (
        <Side title={t('data.lineage.comparedBy')} empty="">
          {comparers.map((task) => (
            <Step key={task.id} task={task} id={task.targetDatasetId} name={task.targetDatasetName} isBefore={false} />
          ))}
        </Side>
      )}
      {tasks.data.totalElements > most && (
        <Text size="sm" c="orange">
          {t('data.lineage.cut', { count: most })}
        </Text>
      )}
    </Stack>
  );
}

/** Whether a step names the dataset as one that it compares with. */
function namesDataset(params: CleaningTask['steps'][number]['params'], datasetId: string): boolean {
  const named = Object.values(params).flatMap((value): unknown[] => (Array.isArray(value) ? value : []));
  return named.some(
    (one) => typeof one === 'object' && one !== null && 'datasetId' in one && one.datasetId === datasetId,
  );
}

function Side({ title, empty, children }: { title: string; empty: string; children: readonly React.ReactNode[] }) {
  return (
    <section className="panel" aria-label={title}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {children.length === 0 ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <Stack gap="sm">{children}</Stack>
      )}
    </section>
  );
}

/** A dataset and the task between it and this one. */
function Step(props: { task: CleaningTask; id: string | null; name: string; isBefore: boolean }) {
  const { task, id, name, isBefore } = props;
  const other =
    id === null ? (
      <span>{name}</span>
    ) : (
      <Link to="/datasets/$datasetId" params={{ datasetId: id }}>
        {name}
      </Link>
    );
  const link = (
    <Link to="/cleaning/$taskId" params={{ taskId: task.id }}>
      {task.name}
    </Link>
  );
  return (
    <div className="lineage-step">
      <Text size="sm" component="div" className="wraps">
        {isBefore ? other : link} <IconArrowRight size={13} aria-hidden /> {isBefore ? link : other}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        <RunStatus status={task.status} counts={task.counts} short /> <Ago time={task.finishedAt ?? task.createdAt} />
      </Text>
    </div>
  );
}
