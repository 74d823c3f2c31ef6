import { Button, Group, Skeleton, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { CountingTask } from '../../api/schema.ts';
import { counting } from '../../runs/run-area.ts';
import { taskKeys, taskQuery } from '../../runs/run-queries.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Page } from '../../ui/page.tsx';

const route = getRouteApi('/shell/counting/$taskId/edit');

export function NewTaskPage() {
  const { t } = useTranslation();
  return (
    <Page title={t('counting.create')}>
      <TaskForm />
    </Page>
  );
}

export function EditTaskPage() {
  const { t } = useTranslation();
  const { taskId } = route.useParams();
  const { data: task, error, refetch } = useQuery(taskQuery(counting, taskId));
  return (
    <Page title={task === undefined ? undefined : t('counting.edit', { name: task.name })}>
      {error !== null ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      ) : task === undefined ? (
        <Skeleton height={200} />
      ) : (
        <TaskForm task={task} />
      )}
    </Page>
  );
}

function TaskForm({ task }: { task?: CountingTask }) {
  const { t } = useTranslation();
  const mayEdit = useMayEdit();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const draft = useDraft({ name: task?.name ?? '', sourceDatasetId: task?.sourceDatasetId ?? '' });
  const save = useMutation({
    mutationFn: async (body: typeof draft.values) => {
      const saved =
        task === undefined
          ? await dataOf(api.POST('/api/v1/data-counting/tasks', { body }))
          : await dataOf(api.PUT('/api/v1/data-counting/tasks/{id}', { params: { path: { id: task.id } }, body }));
      return saved.data;
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: taskKeys.all(counting) });
      await navigate({ to: '/counting/$taskId', params: { taskId: id } });
    },
  });
  return (
    <form onSubmit={draft.submit(save.mutate)}>
      <Stack gap="sm">
        <TextInput label={t('counting.form.name')} {...draft.text('name')} required />
        <TextInput label={t('counting.form.dataset')} {...draft.text('sourceDatasetId')} required />
        {save.isError && <ErrorPanel error={save.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={!mayEdit}>
            {t('common.actions.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
