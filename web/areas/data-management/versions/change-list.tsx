import { Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { VersionDiff, VersionFileChange } from '../../../api/schema.ts';
import { useLocale } from '../../../ui/figures.tsx';
import { formatBytes, formatCount } from '../../../ui/format.ts';
import type { ChangeKind } from './version-search.ts';

export const changeColors: Readonly<Record<ChangeKind, string>> = {
  ADDED: 'green',
  CHANGED: 'blue',
  MOVED: 'gray',
  REMOVED: 'red',
};

/** How a file changed, by colour and word. */
export function ChangeBadge({ change }: { change: ChangeKind }) {
  const { t } = useTranslation();
  return (
    <Badge size="sm" variant="light" color={changeColors[change]} className="status">
      {t(`viewer.versions.change.${change}`)}
    </Badge>
  );
}

/** How many files differ, in words. */
export function DiffSummary({ summary }: { summary: VersionDiff['summary'] }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const parts = (['added', 'changed', 'moved', 'removed'] as const).filter((part) => summary[part] > 0);
  if (parts.length === 0) return <Text size="sm">{t('viewer.versions.same')}</Text>;
  return (
    <Group gap="md" role="status">
      {parts.map((part) => (
        <Text key={part} size="sm" fw={600}>
          {t(`viewer.versions.${part}`, { count: summary[part], shown: formatCount(summary[part], locale) })}
        </Text>
      ))}
      <Text size="sm" c="dimmed" className="figure">
        {formatBytes(summary.bytesBefore, locale)} → {formatBytes(summary.bytesAfter, locale)}
      </Text>
    </Group>
  );
}

/** The path of a change; both paths of a moved file. */
export function ChangedPath({ change }: { change: VersionFileChange }) {
  const { before, filePath } = change;
  return (
    <Text size="sm" className="wraps" component="span">
      {change.change === 'MOVED' && before !== null ? `${before.filePath} → ${filePath}` : filePath}
    </Text>
  );
}
