import { getRouteApi } from '@tanstack/react-router';
import { RunLog } from '../../runs/run-log.tsx';
import { cleaning } from './cleaning-queries.ts';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId/log');

/** The log as a tab of the run's page. */
export function RunLogTab() {
  const { taskId, runId } = route.useParams();
  return <RunLog area={cleaning} taskId={taskId} runId={runId} />;
}
