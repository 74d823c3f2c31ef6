import { IconHome } from '@tabler/icons-react';
import type { Area } from '../../shell/area.ts';
import { homeRoutes } from './routes.tsx';

export const home = {
  order: 0,
  routes: homeRoutes,
  navigation: [{ to: '/', label: (t) => t('common.navigation.home'), icon: IconHome, group: 'top', key: 'h' }],
} as const satisfies Area & { routes: unknown };
