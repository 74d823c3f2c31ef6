import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';

/** Tabs that are pages of their own: each has its address, Back goes to the one before. */
export function LinkTabs<Value extends string>(props: {
  label: string;
  value: Value;
  tabs: readonly { value: Value; label: string; badge?: ReactNode }[];
  onChange: (value: Value) => void;
}) {
  return (
    <Tabs value={props.value} onChange={(value) => value !== null && props.onChange(value as Value)}>
      <Tabs.List aria-label={props.label}>
        {props.tabs.map(({ value, label, badge }) => (
          <Tabs.Tab key={value} value={value} rightSection={badge}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}
