import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { Running } from '../../shell/area.ts';
import { addressOfRagRun } from './run-address.ts';
import { RunningRow } from '../../ui/running-row.tsx';

const busyMs = 2_000;
const idleMs = 10_000;
const shown = 20;

/** Documents that are being processed. */
export function useDocumentsRunning(): Running {
  const { t } = useTranslation();
  const runs = useQuery({
    queryKey: ['rag', 'running'],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v1/runs', { params: { query: { area: 'rag', status: 'RUNNING', size: shown } } })))
        .data,
    refetchInterval: ({ state }) => ((state.data?.totalElements ?? 0) > 0 ? busyMs : idleMs),
  });
  return {
    count: runs.data?.totalElements ?? 0,
    rows: (runs.data?.content ?? []).map((run) => (
      <RunningRow
        key={run.id}
        name={run.taskName ?? t('shell.document')}
        percent={run.progress}
        to={addressOfRagRun(run)}
      />
    )),
  };
}
