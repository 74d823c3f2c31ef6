import { Badge, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconPencil, IconPlayerSkipForward, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { LedgerEntry } from '../api/schema.ts';

export type Verdict = LedgerEntry['verdict'];

const looks = {
  KEPT: { color: 'green', icon: IconCheck },
  CHANGED: { color: 'blue', icon: IconPencil },
  DROPPED: { color: 'orange', icon: IconTrash },
  FAILED: { color: 'red', icon: IconAlertTriangle },
  SKIPPED: { color: 'gray', icon: IconPlayerSkipForward },
} as const;

/** The colours of verdicts, used everywhere. */
export const verdictColors: Readonly<Record<Verdict, string>> = {
  KEPT: 'var(--mantine-color-green-filled)',
  CHANGED: 'var(--mantine-color-blue-filled)',
  DROPPED: 'var(--mantine-color-orange-filled)',
  FAILED: 'var(--mantine-color-red-filled)',
  SKIPPED: 'var(--mantine-color-gray-filled)',
};

/** `label`: the area's own word for a verdict. */
export function VerdictBadge({ verdict, label }: { verdict: Verdict; label?: string }) {
  const { t } = useTranslation();
  const { color, icon: Icon } = looks[verdict];
  return (
    <Badge variant="light" color={color} leftSection={<Icon size={12} />} className="status">
      {label ?? t(`runs.verdicts.${verdict}`)}
    </Badge>
  );
}

/** Legend of a bar over all verdicts. */
export function VerdictLegend() {
  const { t } = useTranslation();
  return (
    <Group gap="md">
      {(['KEPT', 'CHANGED', 'DROPPED', 'FAILED'] as const).map((verdict) => (
        <Text key={verdict} size="xs" c="dimmed">
          <span className="dot" style={{ background: verdictColors[verdict] }} aria-hidden />{' '}
          {t(`runs.legend.${verdict}`)}
        </Text>
      ))}
    </Group>
  );
}
