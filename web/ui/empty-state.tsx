import { Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';

/** What would be shown here, and the one action that adds it. */
export function EmptyState(props: {
  icon: ComponentType<{ size?: number }>;
  title: string;
  lead?: ReactNode;
  action?: ReactNode;
}) {
  const Icon = props.icon;
  return (
    <Stack align="center" gap="sm" py="xl" px="md" className="empty-state">
      <ThemeIcon size={48} radius="xl" variant="light" color="gray" aria-hidden>
        <Icon size={26} />
      </ThemeIcon>
      <Title order={2} size="h4" ta="center">
        {props.title}
      </Title>
      {props.lead !== undefined && (
        <Text c="dimmed" size="sm" ta="center" maw={520} component="div">
          {props.lead}
        </Text>
      )}
      {props.action}
    </Stack>
  );
}
