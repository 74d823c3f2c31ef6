import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { shellRoute } from '../../shell/shell-route.tsx';

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
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
      component: lazyRouteComponent(() => import('./account-settings.tsx'), 'AccountSettings'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'api-keys',
      component: lazyRouteComponent(() => import('./api-keys.tsx'), 'ApiKeys'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'models',
      component: lazyRouteComponent(() => import('./models.tsx'), 'Models'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'models/$modelId',
      component: lazyRouteComponent(() => import('./model-page.tsx'), 'ModelPage'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'users',
      component: lazyRouteComponent(() => import('./users.tsx'), 'Users'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'about',
      component: lazyRouteComponent(() => import('./about.tsx'), 'About'),
    }),
  ]),
] as const;
