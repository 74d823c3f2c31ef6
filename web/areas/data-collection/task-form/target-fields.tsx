import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Draft } from '../../../ui/draft.ts';
import { FieldsPanel } from '../../../ui/panel.tsx';
import { datasetsQuery } from '../../data-management/dataset-queries.ts';
import type { TaskDraft } from './task-draft.ts';

const conflictPolicies = ['REPLACE', 'RENAME', 'ERROR'] as const;
const mostDatasets = 200;

/** The target dataset and folder, and what happens to existing files. */
export function TargetFields({ draft }: { draft: Draft<TaskDraft> }) {
  const { t } = useTranslation();
  const datasets = useQuery(datasetsQuery({ size: mostDatasets, sort: 'updatedAt,desc' }));
  const { name, target, targetDatasetId } = draft.values;
  return (
    <FieldsPanel title={t('collection.form.target')} gap="xs">
      <SegmentedControl
        aria-label={t('collection.form.target')}
        data={[
          { value: 'new', label: t('collection.form.newDataset') },
          { value: 'existing', label: t('collection.form.existing') },
        ]}
        value={target}
        onChange={draft.choice('target').onChange}
      />
      {target === 'new' ? (
        <TextInput
          label={t('collection.form.datasetName')}
          placeholder={name}
          maxLength={100}
          {...draft.text('targetDatasetName')}
        />
      ) : (
        <Select
          label={t('collection.form.dataset')}
          data={(datasets.data?.content ?? []).map(({ id, name: label }) => ({ value: id, label }))}
          value={targetDatasetId ?? null}
          searchable
          allowDeselect={false}
          onChange={(id) => draft.set({ targetDatasetId: id ?? undefined })}
        />
      )}
      <TextInput
        label={t('collection.form.prefix')}
        description={t('collection.form.prefixHelp')}
        {...draft.text('prefix')}
      />
      <Select
        label={t('collection.form.onConflict')}
        data={conflictPolicies.map((value) => ({ value, label: t(`collection.conflict.${value}`) }))}
        allowDeselect={false}
        {...draft.choice('onConflict')}
      />
    </FieldsPanel>
  );
}
