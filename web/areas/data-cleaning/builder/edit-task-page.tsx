import { Anchor, Breadcrumbs, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { Page } from '../../../ui/page.tsx';
import { useOperators } from '../use-operators.ts';
import { draftOf, taskToSend } from '../drafts/draft.ts';
import { cleaning } from '../../../runs/run-area.ts';
import { taskKeys, taskQuery } from '../../../runs/run-queries.ts';
import { TaskBuilder } from './task-builder.tsx';

const route = getRouteApi('/shell/cleaning/$taskId/edit');

export function EditTaskPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { taskId } = route.useParams();
  const task = useQuery({
    ...taskQuery(cleaning, taskId),
    refetchInterval: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const operators = useOperators();
  const failed = [task, operators].find(({ isError }) => isError);
  const breadcrumbs = (
    <Breadcrumbs fz="sm">
      <Anchor component={Link} to="/cleaning" size="sm">
        {t('cleaning.title')}
      </Anchor>
      <Anchor component={Link} to="/cleaning/$taskId" params={{ taskId } as never} size="sm" className="builder-crumb">
        {task.data?.name ?? '…'}
      </Anchor>
      <span>{t('common.actions.edit')}</span>
    </Breadcrumbs>
  );
  if (task.data === undefined || operators.data === undefined)
    return (
      <Page compact title={task.data?.name} heading={null} breadcrumbs={breadcrumbs}>
        {failed === undefined ? (
          <Skeleton height={420} />
        ) : (
          <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />
        )}
      </Page>
    );
  return (
    <TaskBuilder
      title={`${t('common.actions.edit')} · ${task.data.name}`}
      breadcrumbs={breadcrumbs}
      initial={draftOf(task.data)}
      operators={operators.data}
      storageKey={`tilth-edit-task-${taskId}`}
      actions={[
        {
          label: t('common.actions.save'),
          primary: false,
          save: async (draft) => {
            await dataOf(
              api.PUT('/api/v1/data-cleaning/tasks/{id}', {
                params: { path: { id: taskId } },
                body: taskToSend(draft),
              }),
            );
            await queryClient.invalidateQueries({ queryKey: taskKeys.all(cleaning) });
            notifyDone(t('datasets.settings.saved'));
            await navigate({ to: '/cleaning/$taskId', params: { taskId } });
          },
        },
      ]}
    />
  );
}
