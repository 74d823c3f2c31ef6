import { ActionIcon, Button, Group, Input, NumberInput, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { DatasetsFieldProps } from '../../ui/schema-form.tsx';
import { datasetQuery } from './dataset-queries.ts';
import { DatasetSelect } from './dataset-select.tsx';

type Reference = { datasetId?: string; version?: number; prefix?: string; field?: string };

/** The datasets that a step compares to, each chosen by name, with version, folder and text column on request. */
export function DatasetReferences({
  label,
  description,
  value,
  maxItems,
  error,
  disabled,
  onChange,
}: DatasetsFieldProps) {
  const { t } = useTranslation();
  const references: readonly Reference[] = Array.isArray(value) ? (value as Reference[]) : [];
  return (
    <Input.Wrapper label={label} description={description} error={error}>
      <Stack gap="xs" mt={4}>
        {references.map((reference, index) => (
          <ReferenceFields
            key={index}
            reference={reference}
            disabled={disabled}
            onChange={(next) => onChange(references.map((one, at) => (at === index ? next : one)))}
            onRemove={() => onChange(references.filter((_, at) => at !== index))}
          />
        ))}
        {references.length < maxItems && (
          <Button
            size="xs"
            variant="default"
            w="fit-content"
            leftSection={<IconPlus size={14} />}
            disabled={disabled}
            onClick={() => onChange([...references, {}])}
          >
            {t('common.form.datasets.add')}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

function ReferenceFields({
  reference,
  disabled,
  onChange,
  onRemove,
}: {
  reference: Reference;
  disabled: boolean;
  onChange: (reference: Reference) => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation();
  const { datasetId, version, prefix, field } = reference;
  const dataset = useQuery({ ...datasetQuery(datasetId ?? ''), enabled: datasetId !== undefined });
  const current = dataset.data?.version;
  return (
    <Stack gap={4} className="panel" p="xs">
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <div style={{ flex: 1, minWidth: 0 }}>
          <DatasetSelect
            label={t('common.form.datasets.dataset')}
            value={datasetId}
            disabled={disabled}
            // The folder and version belonged to the previous dataset.
            onChange={(id) =>
              onChange(id === undefined ? {} : { datasetId: id, ...(field === undefined ? {} : { field }) })
            }
          />
        </div>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('common.form.datasets.remove', { name: dataset.data?.name ?? '' })}
          disabled={disabled}
          onClick={onRemove}
        >
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
      {datasetId !== undefined && (
        <Group gap="xs" grow align="flex-start">
          <NumberInput
            size="xs"
            label={t('common.form.datasets.version')}
            min={1}
            max={current}
            allowDecimal={false}
            placeholder={t('common.form.datasets.current')}
            value={version ?? ''}
            disabled={disabled}
            onChange={(next) => onChange(withPart(reference, 'version', typeof next === 'number' ? next : undefined))}
          />
          <TextInput
            size="xs"
            label={t('common.form.datasets.folder')}
            placeholder={t('common.form.datasets.all')}
            value={prefix ?? ''}
            maxLength={1000}
            disabled={disabled}
            onChange={(event) => onChange(withPart(reference, 'prefix', event.currentTarget.value))}
          />
          <TextInput
            size="xs"
            label={t('common.form.datasets.field')}
            placeholder={t('common.form.datasets.detected')}
            value={field ?? ''}
            maxLength={500}
            disabled={disabled}
            onChange={(event) => onChange(withPart(reference, 'field', event.currentTarget.value))}
          />
        </Group>
      )}
    </Stack>
  );
}

/** The reference with one part replaced; an empty part is left out. */
function withPart(reference: Reference, part: keyof Reference, value: string | number | undefined): Reference {
  const { [part]: _before, ...others } = reference;
  return value === undefined || value === '' ? others : { ...others, [part]: value };
}
