import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { basePath } from './api/path-prefix.ts';
import { signInRoute } from './areas/auth/routes.tsx';
import { areaRoutes } from './areas.ts';
import { CrashPage, NotFoundPage } from './shell/fault-pages.tsx';
import { rootRoute, shellRoute, unknownPageRoute } from './shell/shell-route.tsx';

const routeTree = rootRoute.addChildren([signInRoute, shellRoute.addChildren([...areaRoutes, unknownPageRoute])]);

/** The routes of the application. Each page's code is loaded when it is first opened. */
export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: basePath === '' ? '/' : basePath,
    context: { queryClient },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: CrashPage,
    defaultNotFoundComponent: NotFoundPage,
  });
}
