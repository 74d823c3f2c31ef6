import { Button, Group, Stack, Text } from '@mantine/core';
import { IconDeviceFloppy, IconRestore } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { SynthesisTemplate, SynthesisTemplateVersion } from '../../api/schema.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { FieldsPanel } from '../../ui/panel.tsx';
import { ChecksFields, presetChecks, recordFieldsOf } from './checks-fields.tsx';
import { ParametersFields } from './parameters-fields.tsx';
import { problemAt, refusalOf } from './refusal.ts';
import { SchemaEditor } from './schema-editor.tsx';
import { synthesisKeys, templateQuery } from './synthesis-queries.ts';
import { TemplateAbout } from './template-about.tsx';
import { bodyOfTemplate, isUnreadable, readSchema, templateDraftOf, type TemplateDraft } from './template-draft.ts';
import { TemplatePreview } from './template-preview.tsx';
import { TemplatePrompt } from './template-prompt.tsx';

type Props = {
  template: SynthesisTemplate;
  /** The shown version, if it is not the latest one. */
  older: SynthesisTemplateVersion | undefined;
  dataset: string | undefined;
  onDataset: (datasetId: string | undefined) => void;
  onRestored: () => void;
};

/** The form of a template beside a live preview. Read-only fields are shown, too. */
export function TemplateEditor({ template, older, dataset, onDataset, onRestored }: Props) {
  const { t, i18n } = useTranslation();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const stored = templateDraftOf({ ...template, ...older });
  const save = useMutation({
    mutationFn: async (values: TemplateDraft) =>
      (
        await dataOf(
          api.PUT('/api/v1/data-synthesis/templates/{id}', {
            params: { path: { id: template.id } },
            body: bodyOfTemplate(values),
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
  const draft = useDraft<TemplateDraft>(stored, { onEdit: save.reset });
  const { columns, checks, parameters, schemaText, type } = draft.values;
  const isFixed = template.builtIn || !mayEdit || older !== undefined;
  // Compared to what is stored now, which may be newer than the draft's starting point.
  const isChanged = JSON.stringify(draft.values) !== JSON.stringify(stored);
  const refusal = refusalOf(save.error, i18n.language);
  const canSave = isSavable(draft.values);
  return (
    <div className="template-editor">
      <form
        data-fixed={isFixed || undefined}
        onSubmit={draft.submit((values) => {
          if (canSave) save.mutate(values);
        })}
      >
        <Stack gap="md">
          <TemplatePrompt draft={draft} isFixed={isFixed} refusal={refusal} />
          {columns === null && (
            <FieldsPanel title={t('synthesis.editor.record')}>
              <SchemaEditor
                label={t('synthesis.editor.record')}
                description={t('synthesis.editor.schemaHelp')}
                empty={t('synthesis.editor.noSchema')}
                text={schemaText}
                isFixed={isFixed}
                error={problemAt(refusal, 'outputSchema')}
                onChange={(next) => draft.set({ schemaText: next })}
              />
            </FieldsPanel>
          )}
          <FieldsPanel title={t('synthesis.form.checks')}>
            <ChecksFields
              preset={presetChecks(type)}
              value={checks}
              onChange={(next) => draft.set({ checks: next })}
              fields={recordFieldsOf({ outputSchema: readSchema(schemaText), columns })}
              refusal={refusal}
              disabled={isFixed}
            />
          </FieldsPanel>
          <FieldsPanel title={t('synthesis.editor.parameters')}>
            <ParametersFields
              value={parameters}
              isFixed={isFixed}
              refusal={refusal}
              at="parameters"
              onChange={(next) => draft.set({ parameters: next })}
            />
          </FieldsPanel>
          <TemplateAbout draft={draft} isFixed={isFixed} refusal={refusal} />
          {save.isError && <ErrorPanel error={save.error} />}
          {!template.builtIn && mayEdit && (
            <Group justify="flex-end" gap="xs" className="editor-actions">
              {older === undefined ? (
                <>
                  <Text size="sm" c="dimmed">
                    {t(isChanged ? 'synthesis.editor.unsaved' : 'synthesis.editor.nothingChanged')}
                  </Text>
                  <Button variant="default" disabled={!isChanged} onClick={() => draft.set(stored)}>
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
          changes={isFixed || !isChanged || isUnreadable(draft.values) ? undefined : bodyOfTemplate(draft.values)}
          variables={draft.values.variables}
          dataset={dataset}
          onDataset={onDataset}
        />
      )}
    </div>
  );
}

/** Whether a draft is complete enough for the service. */
function isSavable(draft: TemplateDraft): boolean {
  const { name, columns, prompt } = draft;
  return name.trim() !== '' && !isUnreadable(draft) && (columns === null ? prompt.trim() !== '' : columns.length > 0);
}
