import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { synthesis } from '../../runs/run-area.ts';
import { RunOutputs } from '../../runs/run-outputs.tsx';
import { taskQuery } from '../../runs/run-queries.ts';
import { ExportPanel } from './export-panel.tsx';

const route = getRouteApi('/shell/synthesis/$taskId/runs/$runId/outputs');

/** The files that a run wrote, with an export in another format. */
export function RunOutputsTab() {
  const { t } = useTranslation();
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(synthesis, taskId));
  return (
    <Stack gap="md">
      <RunOutputs
        area={synthesis}
        taskId={taskId}
        runId={runId}
        datasetId={task.data === undefined ? undefined : task.data.targetDatasetId}
      />
      {task.data !== undefined &&
        (task.data.lastRunId === runId ? (
          <ExportPanel task={task.data} />
        ) : (
          <Text size="sm" c="dimmed">
            {t('synthesis.export.notHere')}{' '}
            <Link to="/synthesis/$taskId" params={{ taskId }}>
              {t('synthesis.export.ofTask')}
            </Link>
          </Text>
        ))}
    </Stack>
  );
}
