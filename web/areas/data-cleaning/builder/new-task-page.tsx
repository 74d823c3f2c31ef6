import { Anchor, Breadcrumbs, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { notifyError } from '../../../ui/notify.ts';
import { Page } from '../../../ui/page.tsx';
import { datasetQuery } from '../../data-management/dataset-queries.ts';
import { useOperators } from '../use-operators.ts';
import { useTemplates } from '../use-templates.ts';
import { newTaskKey } from '../drafts/draft-storage.ts';
import { draftOf, emptyDraft, stepOf, taskToSend, type Draft } from '../drafts/draft.ts';
import { cleaning } from '../../../runs/run-area.ts';
import { taskKeys, taskQuery, tasksQuery } from '../../../runs/run-queries.ts';
import { freeName } from './free-name.ts';
import { TaskBuilder } from './task-builder.tsx';

const route = getRouteApi('/shell/cleaning/new');

/** A new task; the address may name its dataset, and a template or task to copy the steps from. */
export function NewTaskPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { dataset: datasetId, template: templateId, from } = route.useSearch();
  const operators = useOperators();
  const dataset = useQuery({ ...datasetQuery(datasetId ?? ''), enabled: datasetId !== undefined });
  const templates = useTemplates({ size: 1000, enabled: templateId !== undefined });
  const task = useQuery({ ...taskQuery(cleaning, from ?? ''), enabled: from !== undefined, refetchInterval: false });
  const names = useQuery(tasksQuery(cleaning, { size: 1000 }));
  const failed = [operators, dataset, templates, task].find(({ isError }) => isError);
  const isReady =
    operators.data !== undefined &&
    !names.isPending &&
    (datasetId === undefined || dataset.data !== undefined) &&
    (templateId === undefined || templates.data !== undefined) &&
    (from === undefined || task.data !== undefined);

  // Only a proposal: if the names can't be loaded, two tasks may get the same name.
  const taken = names.data?.content.map(({ name }) => name) ?? [];
  const initial = (): Draft => {
    if (task.data !== undefined)
      return {
        ...draftOf(task.data),
        name: freeName(t('cleaning.builder.copyOf', { name: task.data.name }), taken),
        targetDatasetId: undefined,
        targetDatasetName: '',
      };
    const template = templates.data?.content.find(({ id }) => id === templateId);
    return {
      ...emptyDraft(datasetId),
      name:
        dataset.data === undefined ? '' : freeName(t('cleaning.builder.nameFor', { name: dataset.data.name }), taken),
      steps: (template?.steps ?? []).map((step) => stepOf(step.operatorId, step.params)),
    };
  };
  const create = async (draft: Draft): Promise<string> => {
    const { data } = await dataOf(api.POST('/api/v1/data-cleaning/tasks', { body: taskToSend(draft) }));
    await queryClient.invalidateQueries({ queryKey: taskKeys.all(cleaning) });
    return data.id;
  };
  const breadcrumbs = (
    <Breadcrumbs fz="sm">
      <Anchor component={Link} to="/cleaning" size="sm">
        {t('cleaning.title')}
      </Anchor>
      <span>{t('cleaning.create')}</span>
    </Breadcrumbs>
  );
  if (!isReady)
    return (
      <Page compact title={t('cleaning.create')} heading={null} breadcrumbs={breadcrumbs}>
        {failed === undefined ? (
          <Skeleton height={420} />
        ) : (
          <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />
        )}
      </Page>
    );
  return (
    <TaskBuilder
      title={t('cleaning.create')}
      breadcrumbs={breadcrumbs}
      initial={initial()}
      operators={operators.data}
      storageKey={newTaskKey({ dataset: datasetId, template: templateId, from })}
      actions={[
        {
          label: t('common.actions.save'),
          primary: false,
          save: async (draft) => {
            const taskId = await create(draft);
            await navigate({ to: '/cleaning/$taskId', params: { taskId } });
          },
        },
        {
          label: t('cleaning.builder.saveAndRun'),
          primary: true,
          save: async (draft) => {
            const taskId = await create(draft);
            const run = await dataOf(
              api.POST('/api/v1/data-cleaning/tasks/{id}/execute', { params: { path: { id: taskId } }, body: {} }),
            ).catch((error: unknown) => notifyError(error));
            // The task exists even if its run could not be started: another attempt must not create a second task.
            if (run === undefined) await navigate({ to: '/cleaning/$taskId', params: { taskId } });
            else await navigate({ to: '/cleaning/$taskId/runs/$runId', params: { taskId, runId: run.data.id } });
          },
        },
      ]}
    />
  );
}
