import { NumberInput, SimpleGrid, TagsInput, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Draft } from '../../../ui/draft.ts';
import { FieldsPanel } from '../../../ui/panel.tsx';
import { DatasetSelect } from '../../data-management/dataset-select.tsx';
import { problemAt, type Refusal } from '../refusal.ts';
import type { TaskDraft } from './task-draft.ts';

/** The dataset, which of its samples are used, and how long texts are split. */
export function SourceFields({ draft, refusal }: { draft: Draft<TaskDraft>; refusal: Refusal | undefined }) {
  const { t } = useTranslation();
  const dataset = draft.value('sourceDatasetId');
  return (
    <FieldsPanel title={t('synthesis.form.source')}>
      <DatasetSelect
        label={t('synthesis.form.dataset')}
        {...dataset}
        error={problemAt(refusal, 'sourceDatasetId') ?? dataset.error}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label={t('synthesis.form.prefix')}
          placeholder={t('synthesis.form.wholeDataset')}
          {...draft.text('prefix')}
          error={problemAt(refusal, 'input.prefix')}
        />
        <TagsInput
          label={t('synthesis.form.fileTypes')}
          placeholder={draft.values.fileTypes.length === 0 ? t('synthesis.form.allTypes') : ''}
          {...draft.value('fileTypes')}
          error={problemAt(refusal, 'input.fileTypes')}
        />
        <TextInput
          label={t('synthesis.form.textField')}
          placeholder="text"
          {...draft.text('textField')}
          error={problemAt(refusal, 'input.textField')}
        />
        <NumberInput
          label={t('synthesis.form.sourceVersion')}
          placeholder={t('synthesis.form.latest')}
          min={1}
          allowDecimal={false}
          {...draft.limit('sourceVersion')}
          error={problemAt(refusal, 'sourceVersion')}
        />
        <NumberInput
          label={t('synthesis.form.chunkSize')}
          min={1}
          max={100_000}
          allowDecimal={false}
          thousandSeparator
          {...draft.number('chunkSize')}
          error={problemAt(refusal, 'chunking')}
        />
        <NumberInput
          label={t('synthesis.form.chunkOverlap')}
          min={0}
          max={99_999}
          allowDecimal={false}
          thousandSeparator
          {...draft.number('chunkOverlap')}
        />
      </SimpleGrid>
      <Text size="xs" c="dimmed">
        {t('synthesis.form.sourceHelp')}
      </Text>
      <NumberInput
        label={t('synthesis.form.maxSamples')}
        placeholder={t('synthesis.form.allSamples')}
        min={1}
        allowDecimal={false}
        thousandSeparator
        {...draft.limit('maxSamples')}
        error={problemAt(refusal, 'maxSamples')}
      />
    </FieldsPanel>
  );
}
