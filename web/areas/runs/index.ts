import { IconPlayerPlay } from '@tabler/icons-react';
import { api, dataOf } from '../../api/client.ts';
import type { Area } from '../../shell/area.ts';
import { runRoutes } from './routes.tsx';
import { useRunningCount } from './use-running-count.ts';

/** The service can't search runs by name: the latest ones are searched here. */
const searched = 200;

export const runs = {
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
      async find(keyword, size, areas) {
        const words = keyword.toLowerCase().split(/\s+/);
        const { data } = await dataOf(api.GET('/api/v1/runs', { params: { query: { size: searched } } }));
        return data.content
          .map(({ id, area, taskId, taskName, number, createdBy }) => ({
            id,
            label: `${taskName ?? ''} #${number}`,
            description: createdBy,
            pages: areas.find(({ tasks }) => tasks?.prefix === area)?.tasks,
            taskId,
          }))
          .flatMap(({ pages, taskId, ...run }) =>
            pages !== undefined && words.every((word) => run.label.toLowerCase().includes(word))
              ? [{ ...run, to: `${pages.path}/${taskId}/runs/${run.id}` }]
              : [],
          )
          .slice(0, size);
      },
    },
  ],
} as const satisfies Area & { routes: unknown };
