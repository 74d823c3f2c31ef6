import { Tabs } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';

/** Tabs that are pages of their own: each has its address, Back goes to the one before. */
export function LinkTabs<Value extends string>(props: {
  label: string;
  value: Value;
  tabs: readonly { value: Value; label: string; badge?: ReactNode }[];
  onChange: (value: Value) => void;
}) {
  const index = props.tabs.findIndex(({ value }) => value === props.value);
  const list = useRef<HTMLDivElement>(null);
  // On a narrow window the tab that is open may stand beyond its edge.
  useEffect(() => {
    list.current?.querySelectorAll('[role=tab]')[index]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [index]);
  return (
    <Tabs value={props.value} onChange={(value) => value !== null && props.onChange(value as Value)}>
      <Tabs.List aria-label={props.label} className="link-tabs" ref={list}>
        {props.tabs.map(({ value, label, badge }) => (
          <Tabs.Tab key={value} value={value} rightSection={badge}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}
