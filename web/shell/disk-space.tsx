import { Alert, Text } from '@mantine/core';
import { IconDatabaseExclamation } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { formatBytes } from '../ui/format.ts';
import { useLocale } from '../ui/figures.tsx';
import type { paths } from '../api/schema.ts';
import { addressOf } from '../api/path-prefix.ts';

type Readiness = paths['/readyz']['get']['responses'][200]['content']['application/json'];

const everyMs = 20_000;

/** Warns on every page when the disk of the service is filling up or full, early enough to act. */
export function DiskSpace() {
  const { t } = useTranslation();
  const locale = useLocale();
  const { data: disk } = useQuery({
    queryKey: ['readiness'],
    queryFn: async (): Promise<Readiness['disk'] | null> => {
      const response = await fetch(addressOf('/readyz'));
      // An unreachable service is reported elsewhere.
      return response.ok ? (((await response.json()) as Readiness).disk ?? null) : null;
    },
    retry: false,
    refetchInterval: everyMs,
  });
  if (disk === undefined || disk === null) return null;
  const isFull = disk.state === 'FULL';
  return (
    <Alert
      color={isFull ? 'red' : 'orange'}
      icon={<IconDatabaseExclamation />}
      title={isFull ? t('common.disk.full') : t('common.disk.low', { free: formatBytes(disk.freeBytes, locale) })}
      mb="md"
      role="status"
    >
      <Text size="sm">{isFull ? t('common.disk.fullHint') : t('common.disk.lowHint')}</Text>
    </Alert>
  );
}
