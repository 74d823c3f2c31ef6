import { Anchor, Checkbox, Group, NumberInput, Select, SimpleGrid, Text, Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { SynthesisTask, SynthesisTemplate } from '../../../api/schema.ts';
import { useMayEdit } from '../../../session/use-role.ts';
import type { Draft } from '../../../ui/draft.ts';
import { FieldsPanel } from '../../../ui/panel.tsx';
import { ClozeWarning } from '../cloze-warning.tsx';
import { NewTemplateButton } from '../new-template-button.tsx';
import { problemAt, type Refusal } from '../refusal.ts';
import { useChatModels } from '../use-chat-models.ts';
import { modelOf, type TaskDraft } from './task-draft.ts';

type Props = {
  draft: Draft<TaskDraft>;
  refusal: Refusal | undefined;
  task: SynthesisTask | undefined;
  templates: readonly SynthesisTemplate[];
  template: SynthesisTemplate | undefined;
};

/** The template with its variables, and the model that completes it. */
export function TemplateFields({ draft, refusal, task, templates, template }: Props) {
  const { t } = useTranslation();
  const mayEdit = useMayEdit();
  const { sourceDatasetId, templateVersion } = draft.values;
  return (
    <FieldsPanel title={t('synthesis.form.template')}>
      <Select
        label={t('synthesis.form.template')}
        data={templateGroups(templates, t('synthesis.templates.builtIn'), t('synthesis.templates.own'))}
        value={template?.id ?? null}
        searchable
        allowDeselect={false}
        error={problemAt(refusal, 'templateId')}
        onChange={(templateId) =>
          templateId !== null &&
          draft.set({
            templateId,
            templateVersion: templateId === task?.templateId ? task.templateVersion : undefined,
            variables: {},
            checks: withoutGrounding(draft.values.checks),
          })
        }
      />
      {template !== undefined && (
        <Text size="sm" c="dimmed">
          {template.description}{' '}
          <Anchor
            component={Link}
            to={`/synthesis/templates/${template.id}${sourceDatasetId === undefined ? '' : `?dataset=${encodeURIComponent(sourceDatasetId)}`}`}
            size="sm"
            underline="always"
          >
            {t('synthesis.form.openTemplate')}
          </Anchor>
        </Text>
      )}
      {mayEdit && task === undefined && (
        <Group>
          <NewTemplateButton size="compact-sm" variant="default" dataset={sourceDatasetId} />
        </Group>
      )}
      {template !== undefined && templateVersion !== undefined && templateVersion < template.version && (
        <Checkbox
          label={t('synthesis.form.useLatest', { version: template.version, used: templateVersion })}
          checked={false}
          onChange={() => draft.set({ templateVersion: undefined })}
        />
      )}
      {template !== undefined && <Variables draft={draft} refusal={refusal} template={template} />}
      <ModelFields draft={draft} refusal={refusal} template={template} />
    </FieldsPanel>
  );
}

function Variables({ draft, refusal, template }: Pick<Props, 'draft' | 'refusal'> & { template: SynthesisTemplate }) {
  const { variables } = draft.values;
  return template.variables.map(({ name, description, default: given }) => (
    <Textarea
      key={name}
      label={name}
      description={description}
      placeholder={given}
      required={given === undefined}
      autosize
      maxRows={6}
      value={variables[name] ?? ''}
      error={problemAt(refusal, `variables.${name}`)}
      onChange={(event) => {
        const { [name]: _old, ...others } = variables;
        const value = event.currentTarget.value;
        draft.set({ variables: value === '' ? others : { ...others, [name]: value } });
      }}
    />
  ));
}

function ModelFields({ draft, refusal, template }: Pick<Props, 'draft' | 'refusal' | 'template'>) {
  const { t } = useTranslation();
  const models = useChatModels();
  const model = modelOf(draft.values, models.data);
  const { judge } = draft.values;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label={t('synthesis.form.model')}
          data={(models.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          placeholder={draft.values.model}
          allowDeselect={false}
          {...draft.choice('model')}
          value={model?.id ?? null}
          error={problemAt(refusal, 'model')}
        />
        <NumberInput
          label={t('synthesis.form.perSample')}
          min={1}
          max={100}
          allowDecimal={false}
          {...draft.number('perSample')}
          error={problemAt(refusal, 'perSample')}
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
    </>
  );
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
