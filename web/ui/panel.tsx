import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A titled part of a page; `more` stands beside the title. */
export function Panel({ title, more, children }: { title: string; more?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel" aria-label={title}>
      {more === undefined ? (
        <Title order={2} size="h5" mb="xs">
          {title}
        </Title>
      ) : (
        <Group justify="space-between" mb="xs">
          <Title order={2} size="h5">
            {title}
          </Title>
          <Text size="sm" component="div">
            {more}
          </Text>
        </Group>
      )}
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

/** A label and its value; `isVerbatim`: the value is data of users, which is not translated. */
export function Fact({
  label,
  isVerbatim = false,
  children,
}: {
  label: string;
  isVerbatim?: boolean;
  children: ReactNode;
}) {
  return (
    <>
      <dt>{label}</dt>
      <dd data-verbatim={isVerbatim || undefined}>{children}</dd>
    </>
  );
}
