import { IconCopy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { cleaning } from '../../runs/run-area.ts';
import { taskQuery } from '../../runs/run-queries.ts';
import { TaskFrame } from '../../runs/task-frame.tsx';
import { Definition } from './task-definition.tsx';
import { MissingOperators, Steps } from './task-steps.tsx';

const route = getRouteApi('/shell/cleaning/$taskId');

/** A cleaning task in the frame shared by all tasks, with its steps and those whose operator is gone. */
export function TaskPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { taskId } = route.useParams();
  return (
    <TaskFrame
      area={cleaning}
      query={useQuery(taskQuery(cleaning, taskId))}
      cannotRun={({ missingOperators }) => (missingOperators.length > 0 ? t('cleaning.task.missing.title') : undefined)}
      actions={() => [
        {
          label: t('cleaning.task.copy'),
          icon: IconCopy,
          whileRunning: true,
          run: () => navigate({ to: '/cleaning/new', search: { from: taskId } }),
        },
      ]}
      alert={({ missingOperators }) => <MissingOperators missing={missingOperators} />}
      definition={(task) => (
        <>
          <Definition task={task} />
          <Steps task={task} />
        </>
      )}
    />
  );
}
