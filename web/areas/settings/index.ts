import { IconPlugConnected, IconSettings } from '@tabler/icons-react';
import type { Area } from '../../shell/area.ts';
import { settingsRoutes } from './routes.tsx';

export const settings = {
  order: 80,
  routes: settingsRoutes,
  navigation: [
    {
      to: '/settings/models',
      label: (t) => t('shell.places.models'),
      icon: IconPlugConnected,
      group: 'below',
      key: 'm',
    },
    { to: '/settings', label: (t) => t('common.navigation.settings'), icon: IconSettings, group: 'below', key: 's' },
  ],
} as const satisfies Area & { routes: unknown };
