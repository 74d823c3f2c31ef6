import { Badge } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleDot,
  IconLoader,
  IconPlayerStop,
  IconArchive,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import type { en } from '../messages/en/index.ts';

export type Status = keyof typeof en.common.status;

type Look = { color: string; icon: ComponentType<{ size?: number }> };

const running: Look = { color: 'blue', icon: IconLoader };
const good: Look = { color: 'green', icon: IconCircleCheck };
const bad: Look = { color: 'red', icon: IconAlertTriangle };
const quiet: Look = { color: 'gray', icon: IconCircleDashed };

const looks: Record<Status, Look> = {
  PENDING: quiet,
  QUEUED: { color: 'blue', icon: IconCircleDashed },
  RUNNING: running,
  PROCESSING: running,
  COMPLETED: good,
  ACTIVE: { color: 'green', icon: IconCircleDot },
  PUBLISHED: good,
  FAILED: bad,
  ERROR: bad,
  STOPPED: { color: 'orange', icon: IconPlayerStop },
  DRAFT: quiet,
  INACTIVE: quiet,
  ARCHIVED: { color: 'gray', icon: IconArchive },
  DEPRECATED: { color: 'orange', icon: IconAlertTriangle },
};

/** A state by icon, word and colour. */
export function StatusBadge({ status }: { status: Status }) {
  const { t } = useTranslation();
  const { color, icon: Icon } = looks[status];
  return (
    <Badge variant="light" color={color} leftSection={<Icon size={12} />} className="status">
      {t(`common.status.${status}`)}
    </Badge>
  );
}
