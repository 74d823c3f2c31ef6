import { IconPlayerPlay } from '@tabler/icons-react';
import { api, dataOf } from '../../api/client.ts';
import { addressOfRun, unnamedRun } from '../../runs/run-address.ts';
import type { Area } from '../../shell/area.ts';
import { runRoutes } from './routes.tsx';
import { useRunningCount } from './use-running-count.ts';

/** The service can't search runs by name: the latest ones are searched here. */
const searched = 200;

export const runs = {
  order: 10,
  routes: runRoutes,
  navigation: [
    {
      to: '/runs',
      label: (t) => t('shell.places.runs'),
      icon: IconPlayerPlay,
      group: 'top',
      key: 'r',
      useCount: useRunningCount,
    },
  ],
  search: [
    {
      name: 'runs',
      label: (t) => t('shell.search.runs'),
      icon: IconPlayerPlay,
      async find(keyword, size, { areas, t }) {
        const words = keyword.toLowerCase().split(/\s+/);
        const { data } = await dataOf(api.GET('/api/v1/runs', { params: { query: { size: searched } } }));
        return data.content
          .flatMap((run) => {
            const to = addressOfRun(
              run,
              areas.flatMap(({ tasks }) => tasks ?? []),
            );
            const label = `${run.taskName ?? t(unnamedRun(run))} #${run.number}`;
            return to !== undefined && words.every((word) => label.toLowerCase().includes(word))
              ? [{ id: run.id, label, description: run.createdBy, to }]
              : [];
          })
          .slice(0, size);
      },
    },
  ],
} as const satisfies Area & { routes: unknown };
