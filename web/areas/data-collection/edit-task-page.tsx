import { Anchor, Breadcrumbs, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Page } from '../../ui/page.tsx';
import { collection } from '../../runs/run-area.ts';
import { taskQuery } from '../../runs/run-queries.ts';
import { TaskForm } from './task-form/task-form.tsx';
import { useConnectors } from './use-connectors.ts';

const route = getRouteApi('/shell/collection/$taskId/edit');

/** Edits a task; its secrets are kept unless new ones are entered. */
export function EditTaskPage() {
  const { t } = useTranslation();
  const { taskId } = route.useParams();
  const task = useQuery(taskQuery(collection, taskId));
  const connectors = useConnectors();
  const error = task.error ?? connectors.error;
  const connector = connectors.data?.find(({ type }) => type === task.data?.connector.type);
  return (
    <Page
      title={task.data === undefined ? undefined : t('collection.edit', { name: task.data.name })}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/collection" size="sm">
            {t('collection.title')}
          </Anchor>
          <Anchor component={Link} to={`/collection/${taskId}`} size="sm">
            {task.data?.name ?? '…'}
          </Anchor>
        </Breadcrumbs>
      }
    >
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void Promise.all([task.refetch(), connectors.refetch()])} />
      ) : task.data === undefined || connector === undefined ? (
        <Skeleton height={320} />
      ) : (
        <TaskForm connector={connector} task={task.data} />
      )}
    </Page>
  );
}
