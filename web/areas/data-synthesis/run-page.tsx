import { Alert, Button, Group, Text } from '@mantine/core';
import { IconCoin } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Run, SynthesisTask } from '../../api/schema.ts';
import { synthesis } from '../../runs/run-area.ts';
import { RunFailures } from '../../runs/run-failures.tsx';
import { RunFrame } from '../../runs/run-frame.tsx';
import { taskQuery } from '../../runs/run-queries.ts';
import { useMayEdit } from '../../session/use-role.ts';

const route = getRouteApi('/shell/synthesis/$taskId/runs/$runId');

/** A run of a synthesis task in the frame shared by all runs. */
export function RunPage() {
  const { t } = useTranslation();
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(synthesis, taskId));
  return (
    <RunFrame
      area={synthesis}
      taskId={taskId}
      runId={runId}
      task={task.data}
      taskError={task.error}
      samplesName={t('synthesis.records.title')}
      outcome={(run) => <Outcome run={run} task={task.data} />}
    />
  );
}

/** Result of an ended run: the dataset, the failures by reason, or the budget that ended it and how to continue. */
function Outcome({ run, task }: { run: Run; task: SynthesisTask | undefined }) {
  const { t } = useTranslation();
  const mayEdit = useMayEdit();
  if (task === undefined) return null;
  if (run.status === 'STOPPED' && run.errorCode === 'BUDGET_USED_UP')
    return (
      <Alert color="orange" icon={<IconCoin size={18} />} title={t('synthesis.run.budgetTitle')}>
        <Group justify="space-between" gap="sm">
          <Text size="sm">{t('synthesis.run.budget')}</Text>
          {mayEdit && (
            <Link to="/synthesis/$taskId/edit" params={{ taskId: task.id }} className="button-link">
              <Button component="span" size="xs" variant="default">
                {t('synthesis.run.raise')}
              </Button>
            </Link>
          )}
        </Group>
      </Alert>
    );
  if (run.status !== 'COMPLETED' && run.counts.failed === 0) return null;
  const target = task.targetDatasetId !== null && run.status === 'COMPLETED' && (
    <Link to="/datasets/$datasetId" params={{ datasetId: task.targetDatasetId }}>
      {t('synthesis.run.openTarget', { name: task.targetDatasetName })}
    </Link>
  );
  if (run.counts.failed > 0 && run.status !== 'RUNNING' && run.status !== 'QUEUED')
    return (
      <RunFailures
        area={synthesis}
        run={run}
        inputs="records"
        byCode
        explanation={t(run.status === 'COMPLETED' ? 'synthesis.run.failedAgain' : 'synthesis.run.failedResume')}
        hasFile={false}
      >
        {target}
      </RunFailures>
    );
  return run.status === 'COMPLETED' ? (
    <Alert
      color={run.counts.kept === 0 ? 'orange' : 'green'}
      title={t(run.counts.kept === 0 ? 'synthesis.run.nothing' : 'synthesis.run.done')}
    >
      {run.counts.kept === 0 && <Text size="sm">{t('synthesis.run.nothingLead')}</Text>}
      {target}
    </Alert>
  ) : null;
}
