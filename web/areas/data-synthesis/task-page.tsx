import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { synthesis } from '../../runs/run-area.ts';
import { taskQuery } from '../../runs/run-queries.ts';
import { TaskFrame } from '../../runs/task-frame.tsx';
import { ExportPanel } from './export-panel.tsx';
import { ForecastPanel } from './forecast-panel.tsx';
import { Recipe, Result } from './task-definition.tsx';

const route = getRouteApi('/shell/synthesis/$taskId');

/** A synthesis task in the frame shared by all tasks, with the forecast of a run and the export of its records. */
export function TaskPage() {
  const { taskId } = route.useParams();
  return (
    <TaskFrame
      area={synthesis}
      query={useQuery(taskQuery(synthesis, taskId))}
      forecast={(task) => task.status !== 'RUNNING' && <ForecastPanel task={task} />}
      definition={(task) => (
        <>
          <Recipe task={task} />
          <Result task={task} />
        </>
      )}
      results={(task) => task.lastRunId !== null && <ExportPanel task={task} />}
    />
  );
}
