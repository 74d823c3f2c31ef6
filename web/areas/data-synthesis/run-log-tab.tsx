import { getRouteApi } from '@tanstack/react-router';
import { RunLog } from '../../runs/run-log.tsx';
import { synthesis } from './synthesis-area.ts';

const route = getRouteApi('/shell/synthesis/$taskId/runs/$runId/log');

/** The log as a tab of the run's page. */
export function RunLogTab() {
  const { taskId, runId } = route.useParams();
  return <RunLog area={synthesis} taskId={taskId} runId={runId} />;
}
