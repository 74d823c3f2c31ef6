import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A titled part of a page. */
export function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel" aria-label={title}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {children}
    </section>
  );
}

/** A titled part of a form, with its fields one below another. */
export function FieldsPanel({
  title,
  gap = 'sm',
  children,
}: {
  title: string;
  gap?: 'xs' | 'sm';
  children: ReactNode;
}) {
  return (
    <Panel title={title}>
      <Stack gap={gap}>{children}</Stack>
    </Panel>
  );
}

/** A titled list of `Fact`s. */
export function FactsPanel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Panel title={title}>
      <dl className="facts-list">{children}</dl>
    </Panel>
  );
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}
