import { IconPuzzle } from '@tabler/icons-react';
import type { Area } from '../../shell/area.ts';
import { findOperators } from './find-operators.ts';
import { operatorRoutes } from './routes.tsx';

export const operatorMarket = {
  routes: operatorRoutes,
  navigation: [
    { to: '/operators', label: (t) => t('common.navigation.operators'), icon: IconPuzzle, group: 'build', key: 'o' },
  ],
  search: [{ name: 'operators', label: (t) => t('shell.search.operators'), icon: IconPuzzle, find: findOperators }],
} as const satisfies Area & { routes: unknown };
