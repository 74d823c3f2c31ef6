import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CollectionTask, Run } from '../../api/schema.ts';
import { useSay } from '../../messages/sentences.ts';
import { collection } from '../../runs/run-area.ts';
import { RunFailures } from '../../runs/run-failures.tsx';
import { RunFrame } from '../../runs/run-frame.tsx';
import { logsQuery, taskQuery } from '../../runs/run-queries.ts';

const route = getRouteApi('/shell/collection/$taskId/runs/$runId');

/** A run of a collection task in the frame shared by all runs. */
export function RunPage() {
  const { t } = useTranslation();
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(collection, taskId));
  return (
    <RunFrame
      area={collection}
      taskId={taskId}
      runId={runId}
      task={task.data}
      taskError={task.error}
      samplesName={t('collection.items')}
      outcome={(run) => <Outcome run={run} task={task.data} />}
    />
  );
}

/** Result of an ended run: its target dataset, and what could not be fetched, by reason. */
function Outcome({ run, task }: { run: Run; task: CollectionTask | undefined }) {
  const { t } = useTranslation();
  if (run.status !== 'COMPLETED' || task === undefined) return null;
  const target = task.targetDatasetId !== null && (
    <Group gap="lg">
      <Link to="/datasets/$datasetId" params={{ datasetId: task.targetDatasetId }}>
        {t('collection.run.openTarget', { name: task.targetDatasetName })}
      </Link>
    </Group>
  );
  if (run.counts.failed > 0)
    return (
      <Stack gap="md">
        <RunFailures
          area={collection}
          run={run}
          inputs="items"
          explanation={t('collection.run.failed')}
          hasFile={false}
        >
          {target}
        </RunFailures>
        <Warnings run={run} />
      </Stack>
    );
  return (
    <Stack gap="md">
      <Alert color="green" title={t(run.counts.kept === 0 ? 'collection.run.nothingNew' : 'collection.run.done')}>
        {target}
      </Alert>
      <Warnings run={run} />
    </Stack>
  );
}

/** What the source or the run warned of, such as a path that no answer had. */
function Warnings({ run }: { run: Run }) {
  const { t } = useTranslation();
  const say = useSay();
  const log = useQuery(logsQuery(collection, run.taskId, run.id, { page: 0, size: 200 }));
  const warnings = (log.data?.content ?? []).filter(({ level }) => level === 'WARN');
  if (warnings.length === 0) return null;
  return (
    <Alert color="orange" title={t('collection.run.warned')}>
      {warnings.map(({ seq, time: _time, level: _level, ...line }) => (
        <Text key={seq} size="sm">
          {say(line, 'message')}
        </Text>
      ))}
    </Alert>
  );
}
