import { Tabs } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ComponentProps, type ReactNode } from 'react';

type LinkTab<Value extends string> = {
  value: Value;
  label: string;
  to: string;
  /** Search parameters that stay the same on all tabs. */
  search?: Record<string, unknown>;
  badge?: ReactNode;
};

/**
 * Tabs that are separate pages: each is a link, which also opens in a new browser tab; Back returns to the previous
 * one.
 */
export function LinkTabs<Value extends string>(props: {
  label: string;
  value: Value;
  tabs: readonly LinkTab<Value>[];
}) {
  const index = props.tabs.findIndex(({ value }) => value === props.value);
  const list = useRef<HTMLDivElement>(null);
  // In a narrow window the open tab may be outside the visible part.
  useEffect(() => {
    const frame = list.current;
    const tab = frame?.querySelectorAll<HTMLElement>('[role=tab]')[index];
    if (frame === null || tab === undefined) return;
    // Not scrollIntoView, which would scroll the page as well.
    const [left, right] = [tab.offsetLeft, tab.offsetLeft + tab.offsetWidth];
    if (left < frame.scrollLeft) frame.scrollLeft = left;
    else if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
  }, [index]);
  return (
    <Tabs value={props.value}>
      <Tabs.List aria-label={props.label} className="link-tabs" ref={list}>
        {props.tabs.map(({ value, label, to, search, badge }) => (
          <Tabs.Tab
            key={value}
            value={value}
            rightSection={badge}
            renderRoot={({ type: _buttonType, ...others }: ComponentProps<'button'>) => (
              <Link {...(others as object)} to={to} search={search} />
            )}
          >
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}
