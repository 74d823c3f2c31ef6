import { Badge } from '@mantine/core';
import { IconRestore } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useInterruptedUploads } from './use-interrupted-uploads.ts';

/** Shown beside a dataset's name when an upload to it was interrupted; links to the page that resumes it. */
export function InterruptedBadge({ datasetId }: { datasetId: string }) {
  const { t } = useTranslation();
  const interrupted = useInterruptedUploads(datasetId).data ?? [];
  const count = interrupted.reduce((sum, { missing }) => sum + missing.length, 0);
  if (interrupted.length === 0) return null;
  return (
    <Link to="/datasets/$datasetId/upload" params={{ datasetId }} className="plain-link">
      <Badge component="span" variant="light" color="orange" leftSection={<IconRestore size={12} />} className="status">
        {t('data.interrupted', { count })}
      </Badge>
    </Link>
  );
}
