import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { CollectionTask, Connector } from '../../../api/schema.ts';
import { collection } from '../../../runs/run-area.ts';
import { taskKeys } from '../../../runs/run-queries.ts';
import { useMayEdit } from '../../../session/use-role.ts';
import { useDraft } from '../../../ui/draft.ts';
import { Panel } from '../../../ui/panel.tsx';
import { fieldsOf, isComplete as isFilled, type Field } from '../../../ui/schema-fields.ts';
import { SchemaForm } from '../../../ui/schema-form.tsx';
import { sourceProblemOf } from '../source-problem.ts';
import { RunFields } from './run-fields.tsx';
import { SourceRefusal } from './source-refusal.tsx';
import { SourceTest } from './source-test.tsx';
import { TargetFields } from './target-fields.tsx';
import { bodyOf, configOf, draftOf, isComplete, newDraft, type TaskDraft } from './task-draft.ts';

type Props = {
  connector: Connector;
  /** The task to edit; without it, a new one. */
  task?: CollectionTask;
  /** The target dataset of a new task. */
  targetDatasetId?: string | undefined;
};

/** The form of a collection task: source with a test, target, and how it runs. */
export function TaskForm({ connector, task, targetDatasetId }: Props) {
  const { t, i18n } = useTranslation();
  const mayEdit = useMayEdit();
  const { type } = connector;
  const stored = new Set(task?.connector.storedSecrets);
  const fields = fieldsOf(connector.configSchema).map((field) => secretKept(field, stored, t('collection.form.kept')));
  const draft = useDraft<TaskDraft>(() =>
    task === undefined ? newDraft(connector, fields, targetDatasetId) : draftOf(task, fields),
  );
  const { source } = draft.values;
  const test = useMutation({
    mutationFn: async () =>
      (
        await dataOf(
          api.POST('/api/v1/data-collection/connectors/{type}/test', {
            params: { path: { type } },
            body: { config: configOf(fields, source), ...(task === undefined ? {} : { taskId: task.id }) },
          }),
        )
      ).data,
  });
  const save = useSave(task);
  const saveDraft = (andRun: boolean) => (values: TaskDraft) =>
    save.mutate({ body: bodyOf(values, type, fields), andRun });
  const refused = sourceProblemOf(save.error ?? test.error, fields, i18n.language);
  const isReady = mayEdit && isComplete(draft.values, fields);
  return (
    <form onSubmit={draft.submit(saveDraft(false))}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Panel title={t('collection.form.source')}>
            <SchemaForm
              fields={fields}
              values={source}
              onChange={(next) => {
                draft.set({ source: next });
                save.reset();
                test.reset();
              }}
              errors={refused === undefined ? {} : { [refused.name]: refused.text }}
              disabled={!mayEdit}
            />
          </Panel>
          <Stack gap="md">
            <SourceTest connector={type} fields={fields} test={test} isReady={mayEdit && isFilled(fields, source)} />
            <TargetFields draft={draft} />
            <RunFields draft={draft} canBeIncremental={connector.incremental} />
          </Stack>
        </SimpleGrid>
        {save.isError && <SourceRefusal error={save.error} fields={fields} />}
        <Group justify="flex-end">
          <Button
            type="submit"
            variant="default"
            loading={save.isPending && !save.variables.andRun}
            disabled={!isReady}
          >
            {t('common.actions.save')}
          </Button>
          <Button
            leftSection={<IconPlayerPlay size={16} />}
            loading={save.isPending && save.variables.andRun}
            disabled={!isReady}
            onClick={draft.submit(saveDraft(true))}
          >
            {t('collection.form.saveAndRun')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Creates or updates a task, runs it if requested, and opens the run or the task. */
function useSave(task: CollectionTask | undefined) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, andRun }: { body: ReturnType<typeof bodyOf>; andRun: boolean }) => {
      const saved =
        task === undefined
          ? await dataOf(api.POST('/api/v1/data-collection/tasks', { body }))
          : await dataOf(api.PUT('/api/v1/data-collection/tasks/{id}', { params: { path: { id: task.id } }, body }));
      const { id } = saved.data;
      const run = andRun
        ? (await dataOf(api.POST('/api/v1/data-collection/tasks/{id}/execute', { params: { path: { id } }, body: {} })))
            .data
        : undefined;
      return { id, runId: run?.id };
    },
    onSuccess: async ({ id, runId }) => {
      await queryClient.invalidateQueries({ queryKey: taskKeys.all(collection) });
      await (runId === undefined
        ? navigate({ to: '/collection/$taskId', params: { taskId: id } })
        : navigate({ to: '/collection/$taskId/runs/$runId', params: { taskId: id, runId } }));
    },
  });
}

/** A secret field that has a stored value may stay empty. */
function secretKept(field: Field, stored: ReadonlySet<string>, help: string): Field {
  return stored.has(field.name)
    ? { ...field, required: false, help: field.help === undefined ? help : `${field.help}. ${help}` }
    : field;
}
