import { Group, Progress, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** A running activity: its name, its progress, and a link to its page. */
export function RunningRow({ name, percent, to }: { name: string; percent: number; to: string }) {
  return (
    <Link to={to} className="plain-link">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" truncate>
          {name}
        </Text>
        <Text size="xs" c="dimmed" className="figure">
          {Math.floor(percent)} %
        </Text>
      </Group>
      <Progress value={percent} size="sm" aria-label={name} />
    </Link>
  );
}
