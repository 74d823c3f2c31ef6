import { Alert, Anchor, Breadcrumbs, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../session/use-role.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Page } from '../../ui/page.tsx';
import { synthesis } from '../../runs/run-area.ts';
import { taskQuery } from '../../runs/run-queries.ts';
import { TaskForm } from './task-form/task-form.tsx';

const route = getRouteApi('/shell/synthesis/$taskId/edit');

/** Edits a task, for example its budget. */
export function EditTaskPage() {
  const { t } = useTranslation();
  const { taskId } = route.useParams();
  const mayEdit = useMayEdit();
  const task = useQuery(taskQuery(synthesis, taskId));
  return (
    <Page
      title={task.data === undefined ? undefined : t('synthesis.edit', { name: task.data.name })}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/synthesis" size="sm">
            {t('synthesis.title')}
          </Anchor>
          <Anchor component={Link} to={`/synthesis/${taskId}`} size="sm">
            {task.data?.name ?? '…'}
          </Anchor>
        </Breadcrumbs>
      }
    >
      {task.isError ? (
        <ErrorPanel error={task.error} onRetry={() => void task.refetch()} />
      ) : task.data === undefined ? (
        <Skeleton height={320} />
      ) : mayEdit ? (
        <TaskForm key={task.data.id} task={task.data} />
      ) : (
        <Alert color="blue">{t('common.errors.forbidden')}</Alert>
      )}
    </Page>
  );
}
