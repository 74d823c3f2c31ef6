import { getRouteApi } from '@tanstack/react-router';
import { RunLog } from '../../runs/run-log.tsx';
import { collection } from './collection-queries.ts';

const route = getRouteApi('/shell/collection/$taskId/runs/$runId/log');

/** The log as a tab of the run's page. */
export function RunLogTab() {
  const { taskId, runId } = route.useParams();
  return <RunLog area={collection} taskId={taskId} runId={runId} />;
}
