import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
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
  const [keyword] = useDebouncedValue(text === chosen.data?.name ? '' : text.trim(), 250);
  const found = useQuery(datasetsQuery({ size: 30, sort: 'updatedAt,desc', ...(keyword === '' ? {} : { keyword }) }));
  const options = new Map((found.data?.content ?? []).map(({ id, name }) => [id, name]));
  if (chosen.data !== undefined) options.set(chosen.data.id, chosen.data.name);
  return (
    <Select
      label={props.label}
      description={props.description}
      data={[...options].map(([value, label]) => ({ value, label }))}
      value={props.value === undefined || props.value === '' ? null : props.value}
      onChange={(value) => props.onChange(value ?? undefined)}
      searchable
      onSearchChange={setText}
      // The service has searched; descriptions count as well.
      filter={({ options: all }) => all}
      clearable={props.clearable}
      allowDeselect={false}
      disabled={props.disabled}
      error={props.error}
    />
  );
}
