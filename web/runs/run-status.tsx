import { Badge } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Run } from '../api/schema.ts';
import { useLocale } from '../ui/figures.tsx';
import { formatCount } from '../ui/format.ts';
import { StatusBadge, type Status } from '../ui/status-badge.tsx';

/** The state of a run, or of a task by its latest run. A run that ended with failed samples is never plain green. */
export function RunStatus(props: {
  status: Status;
  counts: Pick<Run['counts'], 'failed'>;
  /** A shorter text, for lists. */
  short?: boolean;
}) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { status, counts, short = false } = props;
  if (status !== 'COMPLETED' || counts.failed === 0) return <StatusBadge status={status} />;
  return (
    <Badge variant="light" color="orange" leftSection={<IconAlertTriangle size={12} />} className="status">
      {t(short ? 'runs.completedFailed' : 'runs.completedWithFailures', {
        count: counts.failed,
        failed: formatCount(counts.failed, locale),
      })}
    </Badge>
  );
}
