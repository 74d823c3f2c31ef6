import { IconBuildingStore, IconPuzzle } from '@tabler/icons-react';
import type { Area } from '../../shell/area.ts';
import { operatorRoutes } from './routes.tsx';
import { useOperatorDrop } from './use-operator-drop.ts';

export const operatorMarket = {
  order: 70,
  routes: operatorRoutes,
  navigation: [
    { to: '/operators', label: (t) => t('common.navigation.operators'), icon: IconPuzzle, group: 'build', key: 'o' },
    { to: '/market', label: (t) => t('shell.places.market'), icon: IconBuildingStore, group: 'build', key: 'p' },
  ],
  search: [
    {
      name: 'operators',
      label: (t) => t('shell.search.operators'),
      icon: IconPuzzle,
      // Loaded on demand, not with the first page.
      find: async (keyword, size) => (await import('./find-operators.ts')).findOperators(keyword, size),
    },
  ],
  useDrop: useOperatorDrop,
} as const satisfies Area & { routes: unknown };
