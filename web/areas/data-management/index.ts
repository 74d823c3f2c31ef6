import { IconDatabase } from '@tabler/icons-react';
import { api, dataOf } from '../../api/client.ts';
import type { Area } from '../../shell/area.ts';
import { datasetRoutes } from './routes.tsx';
import { useUploadsRunning } from './uploads/uploads-running.tsx';

export const dataManagement = {
  routes: datasetRoutes,
  navigation: [{ to: '/datasets', label: (t) => t('common.navigation.datasets'), icon: IconDatabase }],
  search: [
    {
      name: 'datasets',
      label: (t) => t('common.search.datasets'),
      icon: IconDatabase,
      async find(keyword, size) {
        const found = await dataOf(
          api.GET('/api/v1/data-management/datasets', { params: { query: { keyword, size } } }),
        );
        return found.content.map(({ id, name, description }) => ({
          id,
          label: name,
          description,
          to: `/datasets/${id}`,
        }));
      },
    },
  ],
  useRunning: useUploadsRunning,
} as const satisfies Area & { routes: unknown };
