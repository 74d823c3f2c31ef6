import { Button, Group, SimpleGrid, Skeleton, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconArrowRight, IconDeviceFloppy } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { SynthesisTask } from '../../../api/schema.ts';
import { synthesis } from '../../../runs/run-area.ts';
import { taskKeys } from '../../../runs/run-queries.ts';
import { useMayEdit } from '../../../session/use-role.ts';
import { useDraft } from '../../../ui/draft.ts';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { FieldsPanel } from '../../../ui/panel.tsx';
import { localizeInstruction } from '../built-in-texts.ts';
import { problemAt, refusalOf } from '../refusal.ts';
import { allTemplatesQuery } from '../synthesis-queries.ts';
import { QualityFields } from './quality-fields.tsx';
import { BudgetFields, ResultFields } from './result-fields.tsx';
import { SourceFields } from './source-fields.tsx';
import { bodyOf, draftOf, isComplete, missingVariable, newDraft, type TaskDraft } from './task-draft.ts';
import { TemplateFields } from './template-fields.tsx';

type Props = { task?: SynthesisTask; dataset?: string | undefined; template?: string | undefined };

/** The form of a synthesis task: source, template and model, checks, budget and target. */
export function TaskForm({ task, dataset, template: wantedTemplate }: Props) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const firstTemplate = wantedTemplate ?? (i18n.language === 'zh' ? 'qa-pairs-zh' : 'qa-pairs-en');
  const templates = useQuery(allTemplatesQuery);
  const save = useMutation({
    mutationFn: async (body: ReturnType<typeof bodyOf>) => {
      const saved =
        task === undefined
          ? await dataOf(api.POST('/api/v1/data-synthesis/tasks', { body: { ...body, autoStart: false } }))
          : await dataOf(api.PUT('/api/v1/data-synthesis/tasks/{id}', { params: { path: { id: task.id } }, body }));
      return saved.data;
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: taskKeys.all(synthesis) });
      await navigate({ to: '/synthesis/$taskId', params: { taskId: id } });
    },
  });
  const draft = useDraft<TaskDraft>(() => (task === undefined ? newDraft(dataset, firstTemplate) : draftOf(task)), {
    checks: {
      sourceDatasetId: ({ sourceDatasetId }) =>
        sourceDatasetId === undefined ? t('synthesis.form.noSource') : undefined,
    },
    onEdit: save.reset,
  });
  if (templates.isError) return <ErrorPanel error={templates.error} onRetry={() => void templates.refetch()} />;
  if (templates.data === undefined) return <Skeleton height={420} />;
  const choices = templates.data.content.map((each) => localizeInstruction(each, t));
  const template = choices.find(({ id }) => id === draft.values.templateId);
  const preset = template?.name ?? t('synthesis.title');
  const refusal = refusalOf(save.error, i18n.language);
  const missing = missingVariable(draft.values, template);
  return (
    <form
      onSubmit={draft.submit((values) => {
        const { sourceDatasetId } = values;
        if (sourceDatasetId !== undefined)
          save.mutate(bodyOf({ ...values, sourceDatasetId, name: values.name.trim() || preset }, task));
      })}
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Stack gap="md">
            <SourceFields draft={draft} refusal={refusal} />
            <TemplateFields draft={draft} refusal={refusal} task={task} templates={choices} template={template} />
          </Stack>
          <Stack gap="md">
            <QualityFields draft={draft} refusal={refusal} template={template} />
            <BudgetFields draft={draft} refusal={refusal} />
            <ResultFields draft={draft} refusal={refusal} />
            <FieldsPanel title={t('synthesis.form.about')}>
              <TextInput
                label={t('runs.columns.name')}
                placeholder={preset}
                maxLength={100}
                {...draft.text('name')}
                error={problemAt(refusal, 'name')}
              />
              <Textarea
                label={t('synthesis.form.description')}
                autosize
                maxLength={1000}
                {...draft.text('description')}
              />
            </FieldsPanel>
          </Stack>
        </SimpleGrid>
        {save.isError && <ErrorPanel error={save.error} />}
        <Group justify="flex-end" align="center">
          <Text size="sm" c="dimmed">
            {missing === undefined
              ? t('synthesis.form.nothingStarts')
              : t('synthesis.form.needsVariable', { name: missing })}
          </Text>
          <Button
            type="submit"
            loading={save.isPending}
            disabled={!mayEdit || !isComplete(draft.values, template)}
            leftSection={task === undefined ? <IconArrowRight size={16} /> : <IconDeviceFloppy size={16} />}
          >
            {t(task === undefined ? 'synthesis.form.forecast' : 'common.actions.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
