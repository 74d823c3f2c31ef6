import {
  Anchor,
  Button,
  Checkbox,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { IconArrowRight, IconDeviceFloppy } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { SynthesisTask } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { DatasetSelect } from '../data-management/dataset-select.tsx';
import { synthesis } from '../../runs/run-area.ts';
import { taskKeys } from '../../runs/run-queries.ts';
import { localizeInstruction } from './built-in-texts.ts';
import { ChecksFields, presetChecks, recordFieldsOf } from './checks-fields.tsx';
import { ClozeWarning } from './cloze-warning.tsx';
import { NewTemplateButton } from './new-template-button.tsx';
import { problemAt, refusalOf } from './refusal.ts';
import { allTemplatesQuery } from './synthesis-queries.ts';
import { bodyOf, draftOf, newDraft, type TaskDraft } from './task-draft.ts';
import { useChatModels } from './use-chat-models.ts';

const formats = ['RAW', 'ALPACA', 'SHAREGPT', 'MESSAGES'] as const;
const caps = ['maxCalls', 'maxTokens', 'maxCost'] as const;

type Props = { task?: SynthesisTask; dataset?: string | undefined; template?: string | undefined };

/** The form of a synthesis task: from what, by which template and model, checked how, at most for how much, to where. */
export function TaskForm({ task, dataset, template: wantedTemplate }: Props) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const firstTemplate = wantedTemplate ?? (i18n.language === 'zh' ? 'qa-pairs-zh' : 'qa-pairs-en');
  const [draft, setDraft] = useState(() => (task === undefined ? newDraft(dataset, firstTemplate) : draftOf(task)));
  const templates = useQuery(allTemplatesQuery);
  const models = useChatModels();
  const save = useMutation({
    mutationFn: async () => {
      const { sourceDatasetId } = draft;
      if (sourceDatasetId === undefined) throw new Error(t('synthesis.form.noSource'));
      const body = bodyOf({ ...draft, sourceDatasetId, name: draft.name.trim() || preset }, task);
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
  const set = (next: Partial<TaskDraft>): void => {
    save.reset();
    setDraft((old) => ({ ...old, ...next }));
  };
  if (templates.isError) return <ErrorPanel error={templates.error} onRetry={() => void templates.refetch()} />;
  if (templates.data === undefined) return <Skeleton height={420} />;
  const choices = templates.data.content.map((each) => localizeInstruction(each, t));
  const template = choices.find(({ id }) => id === draft.templateId);
  const model = models.data?.find(({ id, name }) => id === draft.model || name === draft.model);
  const preset = template?.name ?? t('synthesis.title');
  const refusal = refusalOf(save.error, i18n.language);
  const missing = template?.variables.find(
    ({ name, default: given }) => given === undefined && (draft.variables[name] ?? '') === '',
  );
  const isReady =
    mayEdit &&
    draft.sourceDatasetId !== undefined &&
    template !== undefined &&
    missing === undefined &&
    (draft.target === 'new' || draft.targetDatasetId !== undefined) &&
    (draft.judge === undefined || draft.judge.rubric.trim() !== '');
  const number = (
    name: 'sourceVersion' | 'maxSamples',
    { field, placeholder, help }: { field: string; placeholder: string; help?: string },
  ) => (
    <NumberInput
      label={t(`synthesis.form.${name}`)}
      description={help}
      placeholder={placeholder}
      value={draft[name] ?? ''}
      min={1}
      allowDecimal={false}
      thousandSeparator={name === 'maxSamples'}
      error={problemAt(refusal, field)}
      onChange={(next) => set({ [name]: typeof next === 'number' ? next : undefined })}
    />
  );
  const { judge } = draft;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Stack gap="md">
            <Panel title={t('synthesis.form.source')}>
              <DatasetSelect
                label={t('synthesis.form.dataset')}
                value={draft.sourceDatasetId}
                onChange={(sourceDatasetId) => set({ sourceDatasetId })}
                {...errorAt(problemAt(refusal, 'sourceDatasetId'))}
              />
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
                <TextInput
                  label={t('synthesis.form.prefix')}
                  placeholder={t('synthesis.form.wholeDataset')}
                  value={draft.prefix}
                  error={problemAt(refusal, 'input.prefix')}
                  onChange={(event) => set({ prefix: event.currentTarget.value })}
                />
                <TagsInput
                  label={t('synthesis.form.fileTypes')}
                  placeholder={draft.fileTypes.length === 0 ? t('synthesis.form.allTypes') : ''}
                  value={draft.fileTypes}
                  error={problemAt(refusal, 'input.fileTypes')}
                  onChange={(fileTypes) => set({ fileTypes })}
                />
                <TextInput
                  label={t('synthesis.form.textField')}
                  placeholder="text"
                  value={draft.textField}
                  error={problemAt(refusal, 'input.textField')}
                  onChange={(event) => set({ textField: event.currentTarget.value })}
                />
                {number('sourceVersion', { field: 'sourceVersion', placeholder: t('synthesis.form.latest') })}
                <NumberInput
                  label={t('synthesis.form.chunkSize')}
                  value={draft.chunkSize}
                  min={1}
                  max={100_000}
                  allowDecimal={false}
                  thousandSeparator
                  error={problemAt(refusal, 'chunking')}
                  onChange={(next) => typeof next === 'number' && set({ chunkSize: next })}
                />
                <NumberInput
                  label={t('synthesis.form.chunkOverlap')}
                  value={draft.chunkOverlap}
                  min={0}
                  max={99_999}
                  allowDecimal={false}
                  thousandSeparator
                  onChange={(next) => typeof next === 'number' && set({ chunkOverlap: next })}
                />
              </SimpleGrid>
              <Text size="xs" c="dimmed">
                {t('synthesis.form.sourceHelp')}
              </Text>
              {number('maxSamples', { field: 'maxSamples', placeholder: t('synthesis.form.allSamples') })}
            </Panel>
            <Panel title={t('synthesis.form.template')}>
              <Select
                label={t('synthesis.form.template')}
                data={templateGroups(choices, t('synthesis.templates.builtIn'), t('synthesis.templates.own'))}
                value={template?.id ?? null}
                searchable
                allowDeselect={false}
                error={problemAt(refusal, 'templateId')}
                onChange={(templateId) =>
                  templateId !== null &&
                  set({
                    templateId,
                    templateVersion: templateId === task?.templateId ? task.templateVersion : undefined,
                    variables: {},
                    checks: withoutGrounding(draft.checks),
                  })
                }
              />
              {template !== undefined && (
                <Text size="sm" c="dimmed">
                  {template.description}{' '}
                  <Anchor
                    component={Link}
                    to={`/synthesis/templates/${template.id}${draft.sourceDatasetId === undefined ? '' : `?dataset=${encodeURIComponent(draft.sourceDatasetId)}`}`}
                    size="sm"
                    underline="always"
                  >
                    {t('synthesis.form.openTemplate')}
                  </Anchor>
                </Text>
              )}
              {mayEdit && task === undefined && (
                <Group>
                  <NewTemplateButton size="compact-sm" variant="default" dataset={draft.sourceDatasetId} />
                </Group>
              )}
              {template !== undefined &&
                draft.templateVersion !== undefined &&
                draft.templateVersion < template.version && (
                  <Checkbox
                    label={t('synthesis.form.useLatest', { version: template.version, used: draft.templateVersion })}
                    checked={false}
                    onChange={() => set({ templateVersion: undefined })}
                  />
                )}
              {template?.variables.map(({ name, description, default: given }) => (
                <Textarea
                  key={name}
                  label={name}
                  description={description}
                  placeholder={given}
                  required={given === undefined}
                  autosize
                  maxRows={6}
                  value={draft.variables[name] ?? ''}
                  error={problemAt(refusal, `variables.${name}`)}
                  onChange={(event) => {
                    const { [name]: _old, ...others } = draft.variables;
                    const value = event.currentTarget.value;
                    set({ variables: value === '' ? others : { ...others, [name]: value } });
                  }}
                />
              ))}
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
                <Select
                  label={t('synthesis.form.model')}
                  data={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
                  value={model?.id ?? null}
                  placeholder={draft.model}
                  allowDeselect={false}
                  error={problemAt(refusal, 'model')}
                  onChange={(id) => id !== null && set({ model: id })}
                />
                <NumberInput
                  label={t('synthesis.form.perSample')}
                  value={draft.perSample}
                  min={1}
                  max={100}
                  allowDecimal={false}
                  error={problemAt(refusal, 'perSample')}
                  onChange={(next) => typeof next === 'number' && set({ perSample: next })}
                />
              </SimpleGrid>
              <Text size="xs" c="dimmed">
                {model?.builtIn === true
                  ? t('synthesis.form.builtInModel')
                  : model?.prices === null
                    ? t('synthesis.form.noPrices')
                    : t('synthesis.form.perSampleHelp')}{' '}
                <Link to="/settings/models">{t('synthesis.form.setUpModels')}</Link>
              </Text>
              <ClozeWarning
                template={template ?? {}}
                model={model?.id}
                judge={judge === undefined ? undefined : (judge.model ?? model?.id)}
              />
            </Panel>
          </Stack>
          <Stack gap="md">
            <Panel title={t('synthesis.form.checks')}>
              <ChecksFields
                preset={{ ...presetChecks(template?.type ?? 'CUSTOM'), ...template?.checks }}
                value={draft.checks}
                onChange={(checks) => set({ checks })}
                fields={recordFieldsOf(template ?? {})}
                refusal={refusal}
              />
              <Switch
                label={t('synthesis.form.judge')}
                description={t('synthesis.form.judgeHelp')}
                checked={judge !== undefined}
                onChange={(event) =>
                  set({
                    judge: event.currentTarget.checked
                      ? { rubric: t('synthesis.form.rubricPreset'), minScore: 6 }
                      : undefined,
                  })
                }
              />
              {judge !== undefined && (
                <>
                  <Textarea
                    label={t('synthesis.form.rubric')}
                    value={judge.rubric}
                    required
                    autosize
                    minRows={2}
                    maxRows={10}
                    error={problemAt(refusal, 'judge.rubric')}
                    onChange={(event) => set({ judge: { ...judge, rubric: event.currentTarget.value } })}
                  />
                  <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
                    <NumberInput
                      label={t('synthesis.form.minScore')}
                      value={judge.minScore}
                      min={0}
                      max={10}
                      step={0.5}
                      onChange={(next) => typeof next === 'number' && set({ judge: { ...judge, minScore: next } })}
                    />
                    <Select
                      label={t('synthesis.form.judgeModel')}
                      placeholder={t('synthesis.form.sameModel')}
                      data={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
                      value={judge.model ?? null}
                      clearable
                      error={problemAt(refusal, 'judge.model')}
                      onChange={(id) =>
                        set({
                          judge: {
                            rubric: judge.rubric,
                            minScore: judge.minScore,
                            ...(id === null ? {} : { model: id }),
                          },
                        })
                      }
                    />
                  </SimpleGrid>
                </>
              )}
            </Panel>
            <Panel title={t('synthesis.form.budget')}>
              <Text size="xs" c="dimmed">
                {t('synthesis.form.budgetHelp')}
              </Text>
              <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
                {caps.map((cap) => (
                  <NumberInput
                    key={cap}
                    label={t(`synthesis.budget.${cap}`)}
                    placeholder={t('common.form.noLimit')}
                    value={draft.budget[cap] ?? ''}
                    min={0}
                    thousandSeparator
                    allowDecimal={cap === 'maxCost'}
                    disabled={cap === 'maxCost' && model?.prices === null && draft.budget[cap] === undefined}
                    error={problemAt(refusal, `budget.${cap}`)}
                    onChange={(next) => {
                      const { [cap]: _old, ...others } = draft.budget;
                      set({ budget: typeof next === 'number' ? { ...others, [cap]: next } : others });
                    }}
                  />
                ))}
              </SimpleGrid>
            </Panel>
            <Panel title={t('synthesis.form.result')}>
              <SegmentedControl
                aria-label={t('synthesis.form.result')}
                data={[
                  { value: 'new', label: t('synthesis.form.newDataset') },
                  { value: 'existing', label: t('synthesis.form.existing') },
                ]}
                value={draft.target}
                onChange={(target) => set({ target: target === 'existing' ? 'existing' : 'new' })}
              />
              {draft.target === 'new' ? (
                <TextInput
                  label={t('synthesis.form.datasetName')}
                  placeholder={t('synthesis.form.datasetPreset')}
                  value={draft.targetDatasetName}
                  maxLength={100}
                  error={problemAt(refusal, 'targetDatasetName')}
                  onChange={(event) => set({ targetDatasetName: event.currentTarget.value })}
                />
              ) : (
                <DatasetSelect
                  label={t('synthesis.form.targetDataset')}
                  value={draft.targetDatasetId}
                  onChange={(targetDatasetId) => set({ targetDatasetId })}
                  {...errorAt(problemAt(refusal, 'targetDatasetId'))}
                />
              )}
              <Select
                label={t('synthesis.form.format')}
                description={t(`synthesis.formats.${draft.format}`)}
                data={[...formats]}
                value={draft.format}
                allowDeselect={false}
                error={problemAt(refusal, 'format')}
                onChange={(next) => set({ format: formats.find((each) => each === next) ?? 'RAW' })}
              />
              <Checkbox
                label={t('synthesis.form.provenance')}
                description={t('synthesis.form.provenanceHelp')}
                checked={draft.provenance}
                onChange={(event) => set({ provenance: event.currentTarget.checked })}
              />
            </Panel>
            <Panel title={t('synthesis.form.about')}>
              <TextInput
                label={t('runs.columns.name')}
                placeholder={preset}
                value={draft.name}
                maxLength={100}
                error={problemAt(refusal, 'name')}
                onChange={(event) => set({ name: event.currentTarget.value })}
              />
              <Textarea
                label={t('synthesis.form.description')}
                value={draft.description}
                autosize
                maxLength={1000}
                onChange={(event) => set({ description: event.currentTarget.value })}
              />
            </Panel>
          </Stack>
        </SimpleGrid>
        {save.isError && <ErrorPanel error={save.error} />}
        <Group justify="flex-end" align="center">
          <Text size="sm" c="dimmed">
            {missing === undefined
              ? t('synthesis.form.nothingStarts')
              : t('synthesis.form.needsVariable', { name: missing.name })}
          </Text>
          <Button
            type="submit"
            loading={save.isPending}
            disabled={!isReady}
            leftSection={task === undefined ? <IconArrowRight size={16} /> : <IconDeviceFloppy size={16} />}
          >
            {t(task === undefined ? 'synthesis.form.forecast' : 'common.actions.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel" aria-label={title}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      <Stack gap="sm">{children}</Stack>
    </section>
  );
}

/** No error is no property: the field says whether it has one. */
function errorAt(error: string | undefined): { error?: string } {
  return error === undefined ? {} : { error };
}

function withoutGrounding({ grounding: _of, ...checks }: TaskDraft['checks']): TaskDraft['checks'] {
  return checks;
}

function templateGroups(
  templates: readonly { id: string; name: string; builtIn: boolean }[],
  builtIn: string,
  own: string,
): { group: string; items: { value: string; label: string }[] }[] {
  const itemsOf = (of: boolean) =>
    templates.filter((each) => each.builtIn === of).map(({ id, name }) => ({ value: id, label: name }));
  return [
    { group: own, items: itemsOf(false) },
    { group: builtIn, items: itemsOf(true) },
  ].filter(({ items }) => items.length > 0);
}
