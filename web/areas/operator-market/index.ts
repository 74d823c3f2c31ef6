import { IconPuzzle } from '@tabler/icons-react';
import type { Area } from '../../shell/area.ts';
import { operatorRoutes } from './routes.tsx';

export const operatorMarket = {
  routes: operatorRoutes,
  navigation: [{ to: '/operators', label: (t) => t('common.navigation.operators'), icon: IconPuzzle }],
} as const satisfies Area & { routes: unknown };
