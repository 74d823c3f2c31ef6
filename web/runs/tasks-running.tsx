import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { Running } from '../shell/area.ts';
import { RunningRow } from '../ui/running-row.tsx';
import type { RunArea } from './run-area.ts';

const busyMs = 2_000;
const idleMs = 10_000;
const shown = 20;

/** The tasks of an area that are running. */
export function useTasksRunning(area: RunArea): Running {
  const tasks = useQuery({
    queryKey: [area.prefix, 'running'],
    queryFn: async () =>
      (await dataOf(api.GET(`/api/v1/${area.prefix}/tasks`, { params: { query: { status: 'RUNNING', size: shown } } })))
        .data,
    refetchInterval: ({ state }) => ((state.data?.totalElements ?? 0) > 0 ? busyMs : idleMs),
  });
  return {
    count: tasks.data?.totalElements ?? 0,
    rows: (tasks.data?.content ?? []).map(({ id, name, progress }) => (
      <RunningRow key={id} name={name} percent={progress} to={`${area.path}/${id}`} />
    )),
  };
}
