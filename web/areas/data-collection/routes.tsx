import { createRoute } from '@tanstack/react-router';
import { readLedgerSearch } from '../../runs/ledger-search.ts';
import { readTasksSearch } from '../../runs/tasks-search.ts';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readNewTaskSearch } from './collection-search.ts';

const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/collection/$taskId/runs/$runId',
  component: lazyPage(() => import('./run-page.tsx'), 'RunPage'),
});

export const collectionRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/collection',
    validateSearch: readTasksSearch,
    component: lazyPage(() => import('./tasks-page.tsx'), 'TasksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/collection/new',
    validateSearch: readNewTaskSearch,
    component: lazyPage(() => import('./new-task-page.tsx'), 'NewTaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/collection/$taskId',
    component: lazyPage(() => import('./task-page.tsx'), 'TaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/collection/$taskId/edit',
    component: lazyPage(() => import('./edit-task-page.tsx'), 'EditTaskPage'),
  }),
  runRoute.addChildren([
    createRoute({
      getParentRoute: () => runRoute,
      path: '/',
      component: lazyPage(() => import('./run-overview.tsx'), 'RunOverview'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'samples',
      validateSearch: readLedgerSearch,
      component: lazyPage(() => import('./run-items.tsx'), 'RunItems'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'outputs',
      component: lazyPage(() => import('./run-outputs-tab.tsx'), 'RunOutputsTab'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'log',
      component: lazyPage(() => import('./run-log-tab.tsx'), 'RunLogTab'),
    }),
  ]),
] as const;
