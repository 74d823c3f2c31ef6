import { IconSettings } from '@tabler/icons-react';
import type { Area } from '../../shell/area.ts';
import { settingsRoutes } from './routes.tsx';

export const settings = {
  routes: settingsRoutes,
  navigation: [{ to: '/settings', label: (t) => t('common.navigation.settings'), icon: IconSettings }],
} as const satisfies Area & { routes: unknown };
