import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Dataset } from '../../api/schema.ts';
import { useLocale } from '../../ui/figures.tsx';
import { formatTime } from '../../ui/format.ts';
import { datasetQuery, datasetsQuery } from './dataset-queries.ts';

/** Chooses a dataset by typing a part of its name; the service searches. */
export function DatasetSelect(props: {
  label: string;
  description?: string;
  value: string | undefined;
  onChange: (datasetId: string | undefined) => void;
  clearable?: boolean;
  disabled?: boolean;
  error?: string;
}) {
  const [text, setText] = useState('');
  const chosen = useQuery({
    ...datasetQuery(props.value ?? ''),
    enabled: props.value !== undefined && props.value !== '',
  });
  const locale = useLocale();
  const [keyword] = useDebouncedValue(isChosenShown(text, chosen.data) ? '' : text.trim(), 250);
  const found = useQuery(datasetsQuery({ size: 30, sort: 'updatedAt,desc', ...(keyword === '' ? {} : { keyword }) }));
  const datasets = new Map((found.data?.content ?? []).map((dataset) => [dataset.id, dataset]));
  if (chosen.data !== undefined) datasets.set(chosen.data.id, chosen.data);
  return (
    <Select
      label={props.label}
      description={props.description}
      data={optionsOf([...datasets.values()], locale)}
      value={props.value === undefined || props.value === '' ? null : props.value}
      onChange={(value) => props.onChange(value ?? undefined)}
      searchable
      onSearchChange={setText}
      // The service has already searched; it also matches descriptions, so nothing is filtered here.
      filter={({ options: all }) => all}
      clearable={props.clearable}
      allowDeselect={false}
      disabled={props.disabled}
      error={props.error}
    />
  );
}

type Named = Pick<Dataset, 'id' | 'name' | 'createdAt' | 'createdBy'>;

/** Datasets of the same name are distinguished by creator, creation time and the end of their id. */
function optionsOf(datasets: readonly Named[], locale: string): { value: string; label: string }[] {
  const byName = Map.groupBy(datasets, ({ name }) => name);
  return datasets.map((dataset) => ({
    value: dataset.id,
    label: (byName.get(dataset.name)?.length ?? 0) > 1 ? distinctLabel(dataset, locale) : dataset.name,
  }));
}

function distinctLabel({ id, name, createdAt, createdBy }: Named, locale: string): string {
  return `${name} · ${createdBy}, ${formatTime(new Date(createdAt), locale)} · …${id.slice(-6)}`;
}

/** Whether the text is the label of the chosen dataset rather than a search. */
function isChosenShown(text: string, chosen: Named | undefined): boolean {
  return chosen !== undefined && (text === chosen.name || text.endsWith(` · …${chosen.id.slice(-6)}`));
}
