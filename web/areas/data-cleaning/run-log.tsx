import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { formatTime } from '../../ui/format.ts';
import { useLocale } from '../../ui/figures.tsx';
import { Pager } from '../../ui/pager.tsx';
import { logsQuery, runQuery } from './cleaning-queries.ts';

const route = getRouteApi('/shell/cleaning/$taskId/runs/$runId/log');
const colors = { INFO: undefined, WARN: 'orange', ERROR: 'red' } as const;

export function RunLog() {
  const { t } = useTranslation();
  const locale = useLocale();
  const { taskId, runId } = route.useParams();
  const [at, setAt] = useState({ page: 0, size: 100 });
  const run = useQuery(runQuery(taskId, runId));
  const isGoing = run.data?.status === 'RUNNING' || run.data?.status === 'QUEUED';
  const log = useQuery({ ...logsQuery(taskId, runId, at), refetchInterval: isGoing ? 1_500 : false });
  if (log.isError) return <ErrorPanel error={log.error} onRetry={() => void log.refetch()} />;
  if (log.data === undefined) return <Skeleton height={200} />;
  return (
    <Stack gap="xs">
      <ol className="panel log" aria-label={t('cleaning.run.tabs.log')} tabIndex={0}>
        {log.data.content.map(({ seq, time, level, message }) => (
          <li key={seq}>
            <time dateTime={time}>{formatTime(new Date(time), locale)}</time>
            <Text span inherit c={colors[level]} fw={600}>
              {level}
            </Text>
            <span>{message}</span>
          </li>
        ))}
      </ol>
      {log.data.totalPages > 1 && <Pager {...log.data} onChange={setAt} />}
    </Stack>
  );
}
