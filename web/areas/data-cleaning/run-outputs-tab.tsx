import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RunOutputs } from '../../runs/run-outputs.tsx';
import { cleaning, taskQuery } from './cleaning-queries.ts';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId/outputs');

/** What a cleaning run wrote, as a tab of its page. */
export function RunOutputsTab() {
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(taskId));
  return (
    <RunOutputs
      area={cleaning}
      taskId={taskId}
      runId={runId}
      datasetId={task.data === undefined ? undefined : task.data.targetDatasetId}
    />
  );
}
