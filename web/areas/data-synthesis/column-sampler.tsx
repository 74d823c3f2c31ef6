import { Select, SimpleGrid, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DatasetSelect } from '../data-management/dataset-select.tsx';
import { columnOfSampler, linesOfValues, samplers, valuesOfLines } from './column-draft.ts';
import { ColumnNumber, ColumnText, without, type ColumnProps } from './column-inputs.tsx';

/** What a value is drawn from: categories, numbers, dates, or the rows of a dataset. */
export function ColumnSampler(props: ColumnProps) {
  const { t } = useTranslation();
  const { column, isFixed, problem, onChange } = props;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label={t('synthesis.columns.fields.sampler')}
          data={samplers.map((value) => ({ value, label: t(`synthesis.columns.samplers.${value}`) }))}
          value={column.sampler ?? null}
          allowDeselect={false}
          disabled={isFixed}
          error={problem('sampler')}
          onChange={(next) => {
            const sampler = samplers.find((each) => each === next);
            if (sampler !== undefined && sampler !== column.sampler) onChange(columnOfSampler(sampler, column));
          }}
        />
        <ColumnNumber {...props} name="seed" min={0} max={Number.MAX_SAFE_INTEGER} />
      </SimpleGrid>
      {column.sampler === 'CATEGORY' && <Categories {...props} />}
      {column.sampler === 'NUMBER' && (
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <ColumnNumber {...props} name="minimum" min={-1e12} max={1e12} />
          <ColumnNumber {...props} name="maximum" min={-1e12} max={1e12} />
          <ColumnNumber {...props} name="decimals" min={0} max={6} />
        </SimpleGrid>
      )}
      {column.sampler === 'DATE' && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <ColumnText {...props} name="from" />
          <ColumnText {...props} name="to" />
        </SimpleGrid>
      )}
      {column.sampler === 'ROW' && (
        <>
          <DatasetSelect
            label={t('synthesis.columns.fields.datasetId')}
            value={column.datasetId}
            disabled={isFixed}
            error={problem('datasetId')}
            onChange={(datasetId) =>
              onChange(datasetId === undefined ? without(column, 'datasetId') : { ...column, datasetId })
            }
          />
          <ColumnText {...props} name="prefix" isOptional />
        </>
      )}
    </>
  );
}

function Categories({ column, isFixed, problem, onChange }: ColumnProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => linesOfValues(column.values));
  return (
    <Textarea
      label={t('synthesis.columns.fields.values')}
      description={t('synthesis.columns.valuesHelp')}
      value={text}
      autosize
      minRows={2}
      maxRows={12}
      readOnly={isFixed}
      error={problem('values')}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange({ ...column, values: valuesOfLines(event.currentTarget.value) });
      }}
    />
  );
}
