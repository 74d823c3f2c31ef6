import { createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: lazyPage(() => import('./settings-page.tsx'), 'SettingsPage'),
});

export const settingsRoutes = [
  settingsRoute.addChildren([
    createRoute({
      getParentRoute: () => settingsRoute,
      path: '/',
      beforeLoad: () => {
        // oxlint-disable-next-line typescript/only-throw-error -- the router's way to lead elsewhere
        throw redirect({ to: '/settings/account', replace: true });
      },
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'account',
      component: lazyPage(() => import('./account-settings.tsx'), 'AccountSettings'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'api-keys',
      component: lazyPage(() => import('./api-keys.tsx'), 'ApiKeys'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'models',
      component: lazyPage(() => import('./models.tsx'), 'Models'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'models/$modelId',
      component: lazyPage(() => import('./model-page.tsx'), 'ModelPage'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'users',
      component: lazyPage(() => import('./users.tsx'), 'Users'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'about',
      component: lazyPage(() => import('./about.tsx'), 'About'),
    }),
  ]),
] as const;
