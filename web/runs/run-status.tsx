import { Badge } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Run } from '../api/schema.ts';
import { useLocale } from '../ui/figures.tsx';
import { formatCount } from '../ui/format.ts';
import { droppedMost } from './dropped-most.ts';
import { StatusBadge, type Status } from '../ui/status-badge.tsx';

/**
 * The state of a run, or of a task by its latest run. A run that ended with failed samples, or dropped more than half of
 * them, is never plain green.
 */
export function RunStatus(props: {
  status: Status;
  counts: Pick<Run['counts'], 'in' | 'dropped' | 'failed'>;
  /** Prefix of the area in the API. */
  area: string;
  /** A shorter text, for lists. */
  short?: boolean;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { status, counts, area, short = false } = props;
  const isFailed = counts.failed > 0;
  if (status !== 'COMPLETED' || !(isFailed || droppedMost(area, counts))) return <StatusBadge status={status} />;
  const shown = (count: number): string => formatCount(count, locale);
  return (
    <Badge variant="light" color="orange" leftSection={<IconAlertTriangle size={12} />} className="status">
      {isFailed
        ? t(short ? 'runs.completedFailed' : 'runs.completedWithFailures', {
            count: counts.failed,
            failed: shown(counts.failed),
          })
        : t(short ? 'runs.completedDropped' : 'runs.completedMostDropped', {
            dropped: shown(counts.dropped),
            total: shown(counts.in),
          })}
    </Badge>
  );
}
