import { Badge } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed, IconCircleHalf2, IconLoader } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DocumentStatus } from './rag-search.ts';

const looks = {
  PENDING: { color: 'gray', icon: IconCircleDashed },
  PROCESSING: { color: 'blue', icon: IconLoader },
  COMPLETED: { color: 'green', icon: IconCircleCheck },
  PARTIAL: { color: 'orange', icon: IconCircleHalf2 },
  FAILED: { color: 'orange', icon: IconAlertTriangle },
} as const;

/** The state of a document by icon, word and colour. */
export function DocumentState({ status }: { status: DocumentStatus }) {
  const { t } = useTranslation();
  const { color, icon: Icon } = looks[status];
  return (
    <Badge variant="light" color={color} leftSection={<Icon size={12} />} className="status">
      {t(`knowledge.documentStates.${status}`)}
    </Badge>
  );
}
