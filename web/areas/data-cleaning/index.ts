import { IconFilter, IconTemplate } from '@tabler/icons-react';
import { api, dataOf } from '../../api/client.ts';
import { cleaning } from '../../runs/run-area.ts';
import { useTasksRunning } from '../../runs/tasks-running.tsx';
import type { Area } from '../../shell/area.ts';
import { useCleaningActions } from './use-cleaning-actions.ts';
import { cleaningRoutes } from './routes.tsx';

export const dataCleaning = {
  order: 40,
  routes: cleaningRoutes,
  navigation: [
    {
      to: '/cleaning',
      label: (t) => t('common.navigation.cleaning'),
      icon: IconFilter,
      group: 'prepare',
      key: 'c',
      useCount: () => ({ count: useTasksRunning(cleaning).count, isRunning: true }),
    },
    {
      to: '/cleaning/templates',
      label: (t) => t('shell.places.templates'),
      icon: IconTemplate,
      group: 'build',
      key: 't',
    },
  ],
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
    {
      name: 'templates',
      label: (t) => t('shell.search.templates'),
      icon: IconTemplate,
      async find(keyword, size) {
        const found = await dataOf(
          api.GET('/api/v1/data-cleaning/templates', { params: { query: { keyword, size } } }),
        );
        return found.data.content.map(({ id, name, description }) => ({
          id,
          label: name,
          description,
          to: `/cleaning/new?template=${encodeURIComponent(id)}`,
        }));
      },
    },
  ],
  useRunning: () => useTasksRunning(cleaning),
  useActions: useCleaningActions,
  uses: [
    {
      label: (t) => t('common.navigation.cleaning'),
      icon: IconFilter,
      to: (datasetId) => `/cleaning/new?dataset=${encodeURIComponent(datasetId)}`,
    },
  ],
  tasks: {
    ...cleaning,
    label: (t) => t('common.navigation.cleaning'),
    withoutTask: { prefix: 'data-cleaning/profiles', path: '/cleaning/profiles' },
  },
} as const satisfies Area & { routes: unknown };
