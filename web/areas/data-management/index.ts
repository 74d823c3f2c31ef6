import { IconDatabase, IconFile } from '@tabler/icons-react';
import { api, dataOf } from '../../api/client.ts';
import type { Area } from '../../shell/area.ts';
import { findFiles } from './find-files.ts';
import { datasetRoutes } from './routes.tsx';
import { useDatasetActions } from './use-dataset-actions.ts';
import { useDatasetCount } from './use-dataset-count.ts';
import { UploadsOverlay } from './uploads/uploads-overlay.tsx';
import { useUploadsRunning } from './uploads/uploads-running.tsx';

export const dataManagement = {
  order: 20,
  routes: datasetRoutes,
  navigation: [
    {
      to: '/datasets',
      label: (t) => t('common.navigation.datasets'),
      icon: IconDatabase,
      group: 'data',
      key: 'd',
      useCount: useDatasetCount,
    },
  ],
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
    { name: 'files', label: (t) => t('shell.search.files'), icon: IconFile, find: findFiles },
  ],
  useRunning: useUploadsRunning,
  useActions: useDatasetActions,
  Overlay: UploadsOverlay,
} as const satisfies Area & { routes: unknown };
