import { Alert, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { CleaningTask, Run } from '../../api/schema.ts';
import { ReprocessFailed } from '../../runs/reprocess-failed.tsx';
import { cleaning } from '../../runs/run-area.ts';
import { RunFailures } from '../../runs/run-failures.tsx';
import { RunFrame } from '../../runs/run-frame.tsx';
import { taskQuery } from '../../runs/run-queries.ts';
import { droppedMost } from '../../runs/dropped-most.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount, formatShare } from '../../ui/format.ts';
import { archiveUrl } from '../data-management/dataset-queries.ts';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId');

/** A cleaning run in the frame shared by all runs. */
export function RunPage() {
  const { t } = useTranslation();
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(cleaning, taskId));
  return (
    <RunFrame
      area={cleaning}
      taskId={taskId}
      runId={runId}
      task={task.data}
      taskError={task.error}
      tabs={[
        { value: 'inputs', label: t('cleaning.inputs.title') },
        { value: 'thresholds', label: t('cleaning.run.tabs.thresholds') },
      ]}
      outcome={(run) => <Outcome run={run} task={task.data} />}
    />
  );
}

/** Result of an ended run: its target dataset, and the failed samples by reason. */
function Outcome({ run, task }: { run: Run; task: CleaningTask | undefined }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const targetId = task?.targetDatasetId ?? undefined;
  if (run.status !== 'COMPLETED' || task === undefined || targetId === undefined) return null;
  const target = (
    <Group gap="lg">
      <Link to="/datasets/$datasetId/files" params={{ datasetId: targetId }}>
        {t('cleaning.run.openTarget', { name: task.targetDatasetName })}
      </Link>
      <a href={archiveUrl(targetId)}>{t('runs.outputs.download')}</a>
    </Group>
  );
  const { counts } = run;
  const dropped = droppedMost(run.area, counts) && (
    <Alert
      color="orange"
      icon={<IconAlertTriangle size={18} />}
      title={t('cleaning.run.mostDropped', {
        dropped: formatCount(counts.dropped, locale),
        total: formatCount(counts.in, locale),
        share: formatShare(counts.dropped / counts.in, locale),
      })}
    >
      <Group gap="lg">
        <Link to={`/cleaning/${task.id}/runs/${run.id}/samples`} search={{ verdict: 'DROPPED' }}>
          {t('cleaning.run.showDropped')}
        </Link>
        {counts.failed === 0 && target}
      </Group>
    </Alert>
  );
  if (counts.failed === 0) return dropped === false ? <Ready>{target}</Ready> : dropped;
  return (
    <>
      {dropped}
      <RunFailures
        area={cleaning}
        run={run}
        explanation={t(`cleaning.run.failed.${task.onError}`)}
        hasFile={task.onError !== 'DROP'}
      >
        <ReprocessFailed
          area={cleaning}
          run={run}
          task={task}
          effects={[
            t('cleaning.run.reprocess.input'),
            t('cleaning.run.reprocess.output', { name: task.targetDatasetName }),
            t('cleaning.run.reprocess.next'),
            t('cleaning.run.reprocess.deduplication'),
          ]}
        />
        {target}
      </RunFailures>
    </>
  );
}

function Ready({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Alert color="green" title={t('cleaning.run.done')}>
      {children}
    </Alert>
  );
}
