import { Alert, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Run } from '../../api/schema.ts';
import { RunFrame } from '../../runs/run-frame.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { archiveUrl } from '../data-management/dataset-queries.ts';
import { cleaning, taskQuery } from './cleaning-queries.ts';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId');

/** A cleaning run in the shared frame of runs. */
export function RunPage() {
  const { t } = useTranslation();
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(taskId));
  return (
    <RunFrame
      area={cleaning}
      areaName={t('cleaning.title')}
      taskId={taskId}
      runId={runId}
      task={task.data}
      taskError={task.error}
      tabs={[{ value: 'thresholds', label: t('cleaning.run.tabs.thresholds') }]}
      outcome={(run) => (
        <Outcome
          run={run}
          targetId={task.data?.targetDatasetId ?? undefined}
          targetName={task.data?.targetDatasetName ?? ''}
        />
      )}
    />
  );
}

/** Result of an ended run: its target dataset and the failed samples. */
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
        <a href={archiveUrl(targetId)}>{t('runs.outputs.download')}</a>
        {run.counts.failed > 0 && (
          <Link
            to="/cleaning/$taskId/runs/$runId/samples"
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
