import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { basePath } from './api/path-prefix.ts';
import { signInRoute } from './areas/auth/routes.tsx';
import { dataCleaning } from './areas/data-cleaning/index.ts';
import { dataCollection } from './areas/data-collection/index.ts';
import { dataSynthesis } from './areas/data-synthesis/index.ts';
import { dataManagement } from './areas/data-management/index.ts';
import { home } from './areas/home/index.ts';
import { operatorMarket } from './areas/operator-market/index.ts';
import { rag } from './areas/rag/index.ts';
import { runs } from './areas/runs/index.ts';
import { settings } from './areas/settings/index.ts';
import type { Area } from './shell/area.ts';
import { CrashPage, NotFoundPage } from './shell/fault-pages.tsx';
import { rootRoute, shellRoute, unknownPageRoute } from './shell/shell-route.tsx';

/** The areas in the order of the navigation. */
export const areas: readonly Area[] = [
  home,
  runs,
  dataManagement,
  dataCollection,
  dataCleaning,
  dataSynthesis,
  rag,
  operatorMarket,
  settings,
];

const routeTree = rootRoute.addChildren([
  signInRoute,
  shellRoute.addChildren([
    ...home.routes,
    ...runs.routes,
    ...dataManagement.routes,
    ...dataCollection.routes,
    ...dataCleaning.routes,
    ...dataSynthesis.routes,
    ...rag.routes,
    ...operatorMarket.routes,
    ...settings.routes,
    unknownPageRoute,
  ]),
]);

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
