import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RunOutputs } from '../../runs/run-outputs.tsx';
import { collection, taskQuery } from './collection-queries.ts';

const route = getRouteApi('/shell/collection/$taskId/runs/$runId/outputs');

/** What a run wrote, as a tab of its page. */
export function RunOutputsTab() {
  const { taskId, runId } = route.useParams();
  const task = useQuery(taskQuery(taskId));
  return (
    <RunOutputs
      area={collection}
      taskId={taskId}
      runId={runId}
      datasetId={task.data === undefined ? undefined : task.data.targetDatasetId}
    />
  );
}
