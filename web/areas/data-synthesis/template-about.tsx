import { Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Draft } from '../../ui/draft.ts';
import { FieldsPanel } from '../../ui/panel.tsx';
import { problemAt, type Refusal } from './refusal.ts';
import { templateTypes, type TemplateDraft } from './template-draft.ts';

/** The name, description and categories of a template. */
export function TemplateAbout(props: { draft: Draft<TemplateDraft>; isFixed: boolean; refusal: Refusal | undefined }) {
  const { t } = useTranslation();
  const { draft, isFixed, refusal } = props;
  return (
    <FieldsPanel title={t('synthesis.form.about')}>
      <TextInput
        label={t('runs.columns.name')}
        required={!isFixed}
        maxLength={100}
        readOnly={isFixed}
        {...draft.text('name')}
        error={problemAt(refusal, 'name')}
      />
      <Textarea
        label={t('synthesis.form.description')}
        autosize
        maxLength={500}
        readOnly={isFixed}
        {...draft.text('description')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label={t('synthesis.templates.type')}
          data={templateTypes.map((value) => ({ value, label: t(`synthesis.types.${value}`) }))}
          allowDeselect={false}
          disabled={isFixed}
          {...draft.choice('type')}
        />
        <Select
          label={t('synthesis.editor.language')}
          data={(['en', 'zh'] as const).map((value) => ({ value, label: t(`synthesis.checks.languages.${value}`) }))}
          value={draft.values.language}
          clearable
          disabled={isFixed}
          onChange={(next) => draft.set({ language: next === 'en' || next === 'zh' ? next : null })}
        />
      </SimpleGrid>
    </FieldsPanel>
  );
}
