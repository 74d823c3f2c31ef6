import { IconRefresh } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import { collection } from '../../runs/run-area.ts';
import { taskKeys, taskQuery } from '../../runs/run-queries.ts';
import { TaskFrame } from '../../runs/task-frame.tsx';
import { FetchedItems } from './fetched-items.tsx';
import { Source, Target } from './task-definition.tsx';

const route = getRouteApi('/shell/collection/$taskId');

/** A collection task in the frame shared by all tasks, with a run from scratch and what it has fetched so far. */
export function TaskPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { taskId } = route.useParams();
  const runFromStart = async (): Promise<void> => {
    const { data: run } = await dataOf(
      api.POST('/api/v1/data-collection/tasks/{id}/execute', {
        params: { path: { id: taskId } },
        body: { fromStart: true },
      }),
    );
    await queryClient.invalidateQueries({ queryKey: taskKeys.all(collection) });
    await navigate({ to: '/collection/$taskId/runs/$runId', params: { taskId, runId: run.id } });
  };
  return (
    <TaskFrame
      area={collection}
      query={useQuery(taskQuery(collection, taskId))}
      actions={() => [
        {
          label: t('collection.task.fromStart'),
          icon: IconRefresh,
          question: {
            title: t('collection.task.fromStart'),
            action: t('collection.task.fromStartAction'),
            explanation: t('collection.task.fromStartExplained'),
          },
          run: runFromStart,
        },
      ]}
      definition={(task) => (
        <>
          <Source task={task} />
          <Target task={task} />
        </>
      )}
      results={() => <FetchedItems taskId={taskId} />}
    />
  );
}
