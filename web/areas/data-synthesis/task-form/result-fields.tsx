import { Checkbox, NumberInput, SegmentedControl, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Draft } from '../../../ui/draft.ts';
import { FieldsPanel } from '../../../ui/panel.tsx';
import { DatasetSelect } from '../../data-management/dataset-select.tsx';
import { problemAt, type Refusal } from '../refusal.ts';
import { useChatModels } from '../use-chat-models.ts';
import { modelOf, type TaskDraft } from './task-draft.ts';

const formats = ['RAW', 'ALPACA', 'SHAREGPT', 'MESSAGES'] as const;
const caps = ['maxCalls', 'maxTokens', 'maxCost'] as const;

type Props = { draft: Draft<TaskDraft>; refusal: Refusal | undefined };

/** The budget. */
export function BudgetFields({ draft, refusal }: Props) {
  const { t } = useTranslation();
  const models = useChatModels();
  const model = modelOf(draft.values, models.data);
  const { budget } = draft.values;
  return (
    <FieldsPanel title={t('synthesis.form.budget')}>
      <Text size="xs" c="dimmed">
        {t('synthesis.form.budgetHelp')}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        {caps.map((cap) => (
          <NumberInput
            key={cap}
            label={t(`synthesis.budget.${cap}`)}
            placeholder={t('common.form.noLimit')}
            value={budget[cap] ?? ''}
            min={0}
            thousandSeparator
            allowDecimal={cap === 'maxCost'}
            disabled={cap === 'maxCost' && model?.prices === null && budget[cap] === undefined}
            error={problemAt(refusal, `budget.${cap}`)}
            onChange={(next) => {
              const { [cap]: _old, ...others } = budget;
              draft.set({ budget: typeof next === 'number' ? { ...others, [cap]: next } : others });
            }}
          />
        ))}
      </SimpleGrid>
    </FieldsPanel>
  );
}

/** The target dataset and the format. */
export function ResultFields({ draft, refusal }: Props) {
  const { t } = useTranslation();
  const { target, format } = draft.values;
  return (
    <FieldsPanel title={t('synthesis.form.result')}>
      <SegmentedControl
        aria-label={t('synthesis.form.result')}
        data={[
          { value: 'new', label: t('synthesis.form.newDataset') },
          { value: 'existing', label: t('synthesis.form.existing') },
        ]}
        value={target}
        onChange={draft.choice('target').onChange}
      />
      {target === 'new' ? (
        <TextInput
          label={t('synthesis.form.datasetName')}
          placeholder={t('synthesis.form.datasetPreset')}
          maxLength={100}
          {...draft.text('targetDatasetName')}
          error={problemAt(refusal, 'targetDatasetName')}
        />
      ) : (
        <DatasetSelect
          label={t('synthesis.form.targetDataset')}
          {...draft.value('targetDatasetId')}
          error={problemAt(refusal, 'targetDatasetId')}
        />
      )}
      <Select
        label={t('synthesis.form.format')}
        description={t(`synthesis.formats.${format}`)}
        data={[...formats]}
        allowDeselect={false}
        {...draft.choice('format')}
        error={problemAt(refusal, 'format')}
      />
      <Checkbox
        label={t('synthesis.form.provenance')}
        description={t('synthesis.form.provenanceHelp')}
        {...draft.flag('provenance')}
      />
    </FieldsPanel>
  );
}
