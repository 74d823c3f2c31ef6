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

/** Says on every page that the disk of the service is filling up, or full, while there is still something to be done about it. */
export function DiskSpace() {
  const { t } = useTranslation();
  const locale = useLocale();
  const { data: disk } = useQuery({
    queryKey: ['readiness'],
    queryFn: async (): Promise<Readiness['disk'] | null> => {
      const response = await fetch(addressOf('/readyz'));
      // Whether the service can be reached is told elsewhere.
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
