import { IconFilter } from '@tabler/icons-react';
import { api, dataOf } from '../../api/client.ts';
import { useTasksRunning } from '../../runs/tasks-running.tsx';
import type { Area } from '../../shell/area.ts';
import { cleaning } from './cleaning-queries.ts';
import { cleaningRoutes } from './routes.tsx';

export const dataCleaning = {
  routes: cleaningRoutes,
  navigation: [{ to: '/cleaning', label: (t) => t('common.navigation.cleaning'), icon: IconFilter }],
  search: [
    {
      name: 'cleaning-tasks',
      label: (t) => t('common.search.tasks'),
      icon: IconFilter,
      async find(keyword, size) {
        const found = await dataOf(api.GET('/api/v1/data-cleaning/tasks', { params: { query: { keyword, size } } }));
        return found.data.content.map(({ id, name, description }) => ({
          id,
          label: name,
          description: description ?? undefined,
          to: `/cleaning/${id}`,
        }));
      },
    },
  ],
  useRunning: () => useTasksRunning(cleaning),
} as const satisfies Area & { routes: unknown };
