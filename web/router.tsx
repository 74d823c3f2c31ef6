import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { signInRoute } from './areas/auth/routes.tsx';
import { cleaningRoutes } from './areas/data-cleaning/routes.tsx';
import { datasetRoutes } from './areas/data-management/routes.tsx';
import { homeRoutes } from './areas/home/routes.tsx';
import { operatorRoutes } from './areas/operator-market/routes.tsx';
import { settingsRoutes } from './areas/settings/routes.tsx';
import { CrashPage, NotFoundPage } from './shell/fault-pages.tsx';
import { rootRoute, shellRoute } from './shell/shell-route.tsx';

const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([...homeRoutes, ...datasetRoutes, ...cleaningRoutes, ...operatorRoutes, ...settingsRoutes]),
]);

/** The addresses of the application. Each page's code comes when it is first opened. */
export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: CrashPage,
    defaultNotFoundComponent: NotFoundPage,
  });
}
