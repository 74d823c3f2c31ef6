import {
  ActionIcon,
  Button,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { IconDeviceFloppy, IconPlus, IconRestore, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { SynthesisTemplate, SynthesisTemplateVersion, SynthesisVariable } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ColumnsEditor } from './columns-editor.tsx';
import { ChecksFields, presetChecks, recordFieldsOf } from './checks-fields.tsx';
import { columnOfKind } from './column-draft.ts';
import { ParametersFields } from './parameters-fields.tsx';
import { problemAt, refusalOf, type Refusal } from './refusal.ts';
import { SchemaEditor } from './schema-editor.tsx';
import { synthesisKeys, templateQuery } from './synthesis-queries.ts';
import {
  bodyOfTemplate,
  isUnreadable,
  readSchema,
  templateDraftOf,
  templateTypes,
  undeclaredOf,
  type TemplateDraft,
} from './template-draft.ts';
import { TemplatePreview } from './template-preview.tsx';

type Props = {
  template: SynthesisTemplate;
  /** The version that is shown, if it is not the latest one. */
  older: SynthesisTemplateVersion | undefined;
  dataset: string | undefined;
  onDataset: (datasetId: string | undefined) => void;
  onRestored: () => void;
};

/** The form of a template beside a live preview. What can not be changed is shown all the same. */
export function TemplateEditor({ template, older, dataset, onDataset, onRestored }: Props) {
  const { t, i18n } = useTranslation();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const stored = templateDraftOf({ ...template, ...older });
  const [draft, setDraft] = useState<TemplateDraft>(stored);
  const isFixed = template.builtIn || !mayEdit || older !== undefined;
  const isChanged = JSON.stringify(draft) !== JSON.stringify(stored);
  const schema = readSchema(draft.schemaText);
  const { columns } = draft;
  const fields = recordFieldsOf({ outputSchema: schema, columns });
  const undeclared = undeclaredOf(draft);
  const save = useMutation({
    mutationFn: async () =>
      (
        await dataOf(
          api.PUT('/api/v1/data-synthesis/templates/{id}', {
            params: { path: { id: template.id } },
            body: bodyOfTemplate(draft),
          }),
        )
      ).data,
    onSuccess: async (saved) => {
      queryClient.setQueryData(templateQuery(template.id).queryKey, saved);
      notifyDone(t('synthesis.templates.saved', { version: saved.version }));
      onRestored();
      await queryClient.invalidateQueries({ queryKey: synthesisKeys.templates });
    },
  });
  const set = (next: Partial<TemplateDraft>): void => {
    save.reset();
    setDraft((old) => ({ ...old, ...next }));
  };
  const refusal = refusalOf(save.error, i18n.language);
  const canSave =
    draft.name.trim() !== '' &&
    !isUnreadable(draft) &&
    (columns === null ? draft.prompt.trim() !== '' : columns.length > 0);
  return (
    <div className="template-editor">
      <form
        data-fixed={isFixed || undefined}
        onSubmit={(event) => {
          event.preventDefault();
          if (canSave) save.mutate();
        }}
      >
        <Stack gap="md">
          <Panel title={t('synthesis.editor.prompt')}>
            {!isFixed && (
              <SegmentedControl
                aria-label={t('synthesis.columns.how')}
                data={[
                  { value: 'prompt', label: t('synthesis.columns.onePrompt') },
                  { value: 'columns', label: t('synthesis.columns.title') },
                ]}
                value={columns === null ? 'prompt' : 'columns'}
                onChange={(next) =>
                  set({
                    columns:
                      next === 'prompt'
                        ? null
                        : [columnOfKind('MODEL', { name: 'answer' })].map((column) =>
                            draft.prompt === '' ? column : { ...column, prompt: draft.prompt },
                          ),
                    ...(next === 'prompt' && draft.prompt === '' ? { prompt: '{{text}}' } : {}),
                  })
                }
              />
            )}
            {columns === null ? (
              <>
                <Textarea
                  label={t('synthesis.editor.systemPrompt')}
                  value={draft.systemPrompt}
                  autosize
                  minRows={2}
                  maxRows={10}
                  readOnly={isFixed}
                  error={problemAt(refusal, 'systemPrompt')}
                  onChange={(event) => set({ systemPrompt: event.currentTarget.value })}
                />
                <Textarea
                  label={t('synthesis.editor.userPrompt')}
                  description={t('synthesis.editor.userPromptHelp', {
                    text: '{{text}}',
                    column: '{{row.COLUMN}}',
                    file: '{{file.path}}',
                  })}
                  value={draft.prompt}
                  required={!isFixed}
                  autosize
                  minRows={6}
                  maxRows={24}
                  readOnly={isFixed}
                  error={problemAt(refusal, 'prompt')}
                  onChange={(event) => set({ prompt: event.currentTarget.value })}
                />
              </>
            ) : (
              <ColumnsEditor
                columns={columns}
                isFixed={isFixed}
                refusal={refusal}
                onChange={(next) => set({ columns: next })}
              />
            )}
            <Variables
              variables={draft.variables}
              undeclared={undeclared}
              isFixed={isFixed}
              refusal={refusal}
              onChange={(variables) => set({ variables })}
            />
          </Panel>
          {columns === null && (
            <Panel title={t('synthesis.editor.record')}>
              <SchemaEditor
                label={t('synthesis.editor.record')}
                description={t('synthesis.editor.schemaHelp')}
                empty={t('synthesis.editor.noSchema')}
                text={draft.schemaText}
                isFixed={isFixed}
                error={problemAt(refusal, 'outputSchema')}
                onChange={(schemaText) => set({ schemaText })}
              />
            </Panel>
          )}
          <Panel title={t('synthesis.form.checks')}>
            <ChecksFields
              preset={presetChecks(draft.type)}
              value={draft.checks}
              onChange={(checks) => set({ checks })}
              fields={fields}
              refusal={refusal}
              disabled={isFixed}
            />
          </Panel>
          <Panel title={t('synthesis.editor.parameters')}>
            <ParametersFields
              value={draft.parameters}
              isFixed={isFixed}
              refusal={refusal}
              at="parameters"
              onChange={(parameters) => set({ parameters })}
            />
          </Panel>
          <Panel title={t('synthesis.form.about')}>
            <TextInput
              label={t('runs.columns.name')}
              value={draft.name}
              required={!isFixed}
              maxLength={100}
              readOnly={isFixed}
              error={problemAt(refusal, 'name')}
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
            <Textarea
              label={t('synthesis.form.description')}
              value={draft.description}
              autosize
              maxLength={500}
              readOnly={isFixed}
              onChange={(event) => set({ description: event.currentTarget.value })}
            />
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              <Select
                label={t('synthesis.templates.type')}
                data={templateTypes.map((value) => ({ value, label: t(`synthesis.types.${value}`) }))}
                value={draft.type}
                allowDeselect={false}
                disabled={isFixed}
                onChange={(next) => set({ type: templateTypes.find((each) => each === next) ?? draft.type })}
              />
              <Select
                label={t('synthesis.editor.language')}
                data={(['en', 'zh'] as const).map((value) => ({
                  value,
                  label: t(`synthesis.checks.languages.${value}`),
                }))}
                value={draft.language}
                clearable
                disabled={isFixed}
                onChange={(next) => set({ language: next === 'en' || next === 'zh' ? next : null })}
              />
            </SimpleGrid>
          </Panel>
          {save.isError && <ErrorPanel error={save.error} />}
          {!template.builtIn && mayEdit && (
            <Group justify="flex-end" gap="xs" className="editor-actions">
              {older === undefined ? (
                <>
                  <Text size="sm" c="dimmed">
                    {t(isChanged ? 'synthesis.editor.unsaved' : 'synthesis.editor.nothingChanged')}
                  </Text>
                  <Button variant="default" disabled={!isChanged} onClick={() => set(stored)}>
                    {t('synthesis.editor.discard')}
                  </Button>
                  <Button
                    type="submit"
                    leftSection={<IconDeviceFloppy size={16} />}
                    loading={save.isPending}
                    disabled={!isChanged || !canSave}
                  >
                    {t('synthesis.editor.save', { version: template.version + 1 })}
                  </Button>
                </>
              ) : (
                <Button type="submit" leftSection={<IconRestore size={16} />} loading={save.isPending}>
                  {t('synthesis.editor.restore', { version: older.version, next: template.version + 1 })}
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </form>
      {mayEdit && (
        <TemplatePreview
          template={template}
          version={older?.version}
          changes={isFixed || !isChanged || isUnreadable(draft) ? undefined : bodyOfTemplate(draft)}
          variables={draft.variables}
          dataset={dataset}
          onDataset={onDataset}
        />
      )}
    </div>
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

function Variables(props: {
  variables: readonly SynthesisVariable[];
  undeclared: readonly string[];
  isFixed: boolean;
  refusal: Refusal | undefined;
  onChange: (variables: readonly SynthesisVariable[]) => void;
}) {
  const { t } = useTranslation();
  const { variables, undeclared, isFixed, refusal, onChange } = props;
  const change = (at: number, next: Partial<SynthesisVariable>): void =>
    onChange(variables.map((variable, index) => (index === at ? { ...variable, ...next } : variable)));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {t('synthesis.editor.variables')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('synthesis.editor.variablesHelp')}
      </Text>
      {variables.map(({ name, description, default: preset }, index) => (
        <div key={index} className="variable-row">
          <TextInput
            label={t('runs.columns.name')}
            value={name}
            maxLength={64}
            readOnly={isFixed}
            error={problemAt(refusal, `variables[${index}]`)}
            onChange={(event) => change(index, { name: event.currentTarget.value })}
          />
          <TextInput
            label={t('synthesis.form.description')}
            value={description ?? ''}
            readOnly={isFixed}
            onChange={(event) => change(index, { description: event.currentTarget.value })}
          />
          <TextInput
            label={t('synthesis.editor.preset')}
            placeholder={t('synthesis.editor.noPreset')}
            value={preset ?? ''}
            readOnly={isFixed}
            onChange={(event) => {
              const { default: _old, ...others } = variables[index] ?? { name };
              const value = event.currentTarget.value;
              const next = value === '' ? others : { ...others, default: value };
              onChange(variables.map((variable, at) => (at === index ? next : variable)));
            }}
          />
          {!isFixed && (
            <ActionIcon
              variant="subtle"
              color="red"
              size="lg"
              aria-label={t('synthesis.editor.removeVariable', { name })}
              onClick={() => onChange(variables.filter((_, at) => at !== index))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </div>
      ))}
      {!isFixed && (
        <Group gap="xs">
          {undeclared.map((name) => (
            <Button
              key={name}
              size="compact-sm"
              variant="light"
              color="orange"
              leftSection={<IconPlus size={14} />}
              onClick={() => onChange([...variables, { name }])}
            >
              {t('synthesis.editor.declare', { name })}
            </Button>
          ))}
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...variables, { name: freeName(variables) }])}
          >
            {t('synthesis.editor.addVariable')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function freeName(variables: readonly SynthesisVariable[]): string {
  const names = new Set(variables.map(({ name }) => name));
  let at = 1;
  while (names.has(`variable_${at}`)) at += 1;
  return `variable_${at}`;
}
