import { createRoute, redirect } from '@tanstack/react-router';
import { loadPageTexts } from '../../messages/index.ts';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';

/** A lazy page that also loads the texts of settings. */
const settingsPage: typeof lazyPage = (load, name) =>
  lazyPage(async () => {
    const [page] = await Promise.all([load(), loadPageTexts('settings')]);
    return page;
  }, name);

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: settingsPage(() => import('./settings-page.tsx'), 'SettingsPage'),
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
      component: settingsPage(() => import('./account-settings.tsx'), 'AccountSettings'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'api-keys',
      component: settingsPage(() => import('./api-keys.tsx'), 'ApiKeys'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'models',
      component: settingsPage(() => import('./models.tsx'), 'Models'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'models/$modelId',
      component: settingsPage(() => import('./model-page.tsx'), 'ModelPage'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'users',
      component: settingsPage(() => import('./users.tsx'), 'Users'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'nodes',
      component: settingsPage(() => import('./nodes.tsx'), 'Nodes'),
    }),
    createRoute({
      getParentRoute: () => settingsRoute,
      path: 'about',
      component: settingsPage(() => import('./about.tsx'), 'About'),
    }),
  ]),
] as const;
