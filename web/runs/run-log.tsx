import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../messages/sentences.ts';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { formatTime } from '../ui/format.ts';
import { useLocale } from '../ui/figures.tsx';
import { Pager } from '../ui/pager.tsx';
import type { RunArea } from './run-area.ts';
import { logsQuery, runQuery } from './run-queries.ts';

const colors = { INFO: undefined, WARN: 'orange', ERROR: 'red' } as const;

/** The log of a run, page by page; grows while the run is active. */
export function RunLog({ area, taskId, runId }: { area: RunArea; taskId: string; runId: string }) {
  const { t } = useTranslation();
  const say = useSay();
  const locale = useLocale();
  const [at, setAt] = useState({ page: 0, size: 100 });
  const run = useQuery(runQuery(area, taskId, runId));
  const isGoing = run.data?.status === 'RUNNING' || run.data?.status === 'QUEUED';
  const log = useQuery({ ...logsQuery(area, taskId, runId, at), refetchInterval: isGoing ? 1_500 : false });
  if (log.isError) return <ErrorPanel error={log.error} onRetry={() => void log.refetch()} />;
  if (log.data === undefined) return <Skeleton height={200} />;
  return (
    <Stack gap="xs">
      <ol className="panel log" aria-label={t('runs.log')} tabIndex={0}>
        {log.data.content.map(({ seq, time, level, ...line }) => (
          <li key={seq}>
            <time dateTime={time}>{formatTime(new Date(time), locale)}</time>
            <Text span inherit c={colors[level]} fw={600}>
              {level}
            </Text>
            <span>{say(line, 'message')}</span>
          </li>
        ))}
      </ol>
      {log.data.totalPages > 1 && <Pager {...log.data} onChange={setAt} />}
    </Stack>
  );
}
