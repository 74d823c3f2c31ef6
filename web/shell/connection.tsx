import { Alert, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { OfflineError } from '../api/errors.ts';
import { notifyDone } from '../ui/notify.ts';
import { addressOf } from '../api/path-prefix.ts';
import { waitingPages } from './lazy-page.ts';

const aliveEveryMs = 20_000;
const aliveWhileAwayMs = 2_000;

/** Reports when the service is unreachable, retries every few seconds, and refreshes the page when it is back. */
export function Connection() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const alive = useQuery({
    queryKey: ['alive'],
    queryFn: async () => {
      const response = await fetch(addressOf('/healthz')).catch((cause: unknown) => {
        throw new OfflineError({ cause });
      });
      if (response.status >= 500) throw new OfflineError();
      return true;
    },
    retry: false,
    refetchInterval: (query) => (query.state.status === 'error' ? aliveWhileAwayMs : aliveEveryMs),
    refetchOnReconnect: 'always',
  });
  const wasAway = useRef(false);
  useEffect(() => {
    const check = (): void => void alive.refetch();
    window.addEventListener('offline', check);
    return () => window.removeEventListener('offline', check);
  }, [alive]);
  useEffect(() => {
    if (alive.isError) wasAway.current = true;
    else if (alive.isSuccess && wasAway.current) {
      wasAway.current = false;
      notifyDone(t('common.errors.backOnline'));
      void queryClient.invalidateQueries({ predicate: (query) => query.queryKey[0] !== 'alive' });
    }
  }, [alive.isError, alive.isSuccess, queryClient, t]);
  const waiting = useSyncExternalStore(waitingPages.subscribe, waitingPages.count);
  const { refetch } = alive;
  useEffect(() => {
    if (waiting > 0) void refetch();
  }, [waiting, refetch]);
  if (!alive.isError) return null;
  return (
    <Alert color="orange" icon={<IconPlugConnectedX />} title={t('common.errors.offline')} mb="md" role="status">
      <Text size="sm">{waiting > 0 ? t('shell.waiting') : t('common.errors.offlineHint')}</Text>
    </Alert>
  );
}
