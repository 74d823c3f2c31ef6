import { IconDownload } from '@tabler/icons-react';
import { api, dataOf } from '../../api/client.ts';
import { collection } from '../../runs/run-area.ts';
import { useTasksRunning } from '../../runs/tasks-running.tsx';
import type { Area } from '../../shell/area.ts';
import { collectionRoutes } from './routes.tsx';
import { useCollectionActions } from './use-collection-actions.ts';

export const dataCollection = {
  order: 30,
  routes: collectionRoutes,
  navigation: [
    {
      to: '/collection',
      label: (t) => t('shell.places.collection'),
      icon: IconDownload,
      group: 'data',
      key: 'l',
      useCount: () => ({ count: useTasksRunning(collection).count, isRunning: true }),
    },
  ],
  search: [
    {
      name: 'collection-tasks',
      label: (t) => t('shell.search.collectionTasks'),
      icon: IconDownload,
      async find(keyword, size) {
        const found = await dataOf(api.GET('/api/v1/data-collection/tasks', { params: { query: { keyword, size } } }));
        return found.data.content.map(({ id, name, description }) => ({
          id,
          label: name,
          description,
          to: `/collection/${id}`,
        }));
      },
    },
  ],
  useRunning: () => useTasksRunning(collection),
  useActions: useCollectionActions,
  uses: [
    {
      label: (t) => t('shell.uses.collection'),
      icon: IconDownload,
      to: (datasetId) => `/collection/new?dataset=${encodeURIComponent(datasetId)}`,
    },
  ],
  tasks: { ...collection, label: (t) => t('shell.places.collection') },
} as const satisfies Area & { routes: unknown };
