import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { RunArea, TaskOf } from './run-area.ts';
import { RunLog } from './run-log.tsx';
import { RunOutputs } from './run-outputs.tsx';
import { taskQuery } from './run-queries.ts';

/** The tabs of a run that areas share, for their routes; `targetOf`: the dataset that its runs write into. */
export function tabsOf<Area extends RunArea>(area: Area, targetOf: (task: TaskOf<Area>) => string | null) {
  return {
    RunLogTab() {
      const { taskId = '', runId = '' } = useParams({ strict: false });
      return <RunLog area={area} taskId={taskId} runId={runId} />;
    },
    RunOutputsTab() {
      const { taskId = '', runId = '' } = useParams({ strict: false });
      const task = useQuery(taskQuery(area, taskId));
      return <RunOutputs area={area} taskId={taskId} runId={runId} datasetId={task.data && targetOf(task.data)} />;
    },
  };
}
