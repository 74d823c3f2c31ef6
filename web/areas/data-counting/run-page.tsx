import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { counting } from '../../runs/run-area.ts';
import { RunFrame } from '../../runs/run-frame.tsx';
import { runQuery, taskQuery } from '../../runs/run-queries.ts';

const route = getRouteApi('/shell/counting/$taskId/runs/$runId');

export function RunPage() {
  const { t } = useTranslation();
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(counting, taskId));
  return (
    <RunFrame
      area={counting}
      taskId={taskId}
      runId={runId}
      task={task.data}
      taskError={task.error}
      samplesName={t('counting.files')}
    />
  );
}

export function RunOverview() {
  const { t } = useTranslation();
  const { taskId, runId } = route.useParams();
  const run = useQuery(runQuery(counting, taskId, runId));
  if (run.data?.status !== 'COMPLETED') return null;
  return <Alert color="green">{t('counting.run.counted', { files: run.data.counts.in })}</Alert>;
}
