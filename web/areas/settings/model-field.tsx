import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ModelFieldProps } from '../../ui/schema-form.tsx';
import { modelsQuery } from './model-queries.ts';

/** The model that a step calls, chosen by name among the instruction-following ones. */
export function ModelField({ label, description, value, error, disabled, onChange }: ModelFieldProps) {
  const { t } = useTranslation();
  const models = useQuery(modelsQuery);
  const usable = models.data?.filter(({ kind, provider }) => kind === 'CHAT' && provider !== 'builtin') ?? [];
  const chosen = typeof value === 'string' && value !== '' ? value : null;
  // A model that was deleted is still shown by its id.
  const isGone = chosen !== null && models.isSuccess && usable.every(({ id }) => id !== chosen);
  return (
    <Select
      label={label}
      description={description}
      required
      searchable
      data={[
        ...usable.map(({ id, name, prices }) => ({
          value: id,
          label: prices === null ? t('common.form.models.unpriced', { name }) : name,
        })),
        ...(isGone ? [{ value: chosen, label: chosen }] : []),
      ]}
      value={chosen}
      placeholder={t(models.isSuccess && usable.length === 0 ? 'common.form.models.none' : 'common.form.models.choose')}
      nothingFoundMessage={t('common.form.models.none')}
      allowDeselect={false}
      error={isGone ? t('common.form.models.gone') : error}
      disabled={disabled}
      onChange={(id) => id !== null && onChange(id)}
    />
  );
}

/** The name of a model by its id. */
export function useModelNames(): (reference: string) => string {
  const models = useQuery(modelsQuery);
  return (reference) => models.data?.find(({ id, name }) => id === reference || name === reference)?.name ?? reference;
}
