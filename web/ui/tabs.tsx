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
    const frame = list.current;
    const tab = frame?.querySelectorAll<HTMLElement>('[role=tab]')[index];
    if (frame === null || tab === undefined) return;
    // Not scrollIntoView, which would move the page as well.
    const [left, right] = [tab.offsetLeft, tab.offsetLeft + tab.offsetWidth];
    if (left < frame.scrollLeft) frame.scrollLeft = left;
    else if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
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
