import { Group, Progress, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** Something that goes on: its name, how far it is, and the page that shows more. */
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
