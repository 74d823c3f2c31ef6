import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readListSearch } from '../../ui/list-search.ts';
import { readLedgerSearch } from '../../runs/ledger-search.ts';
import { readTasksSearch } from './cleaning-search.ts';

const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/cleaning/$taskId/runs/$runId',
  component: lazyRouteComponent(() => import('./run-page.tsx'), 'RunPage'),
});

export const cleaningRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning',
    validateSearch: readTasksSearch,
    component: lazyRouteComponent(() => import('./tasks-page.tsx'), 'TasksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/new',
    validateSearch: ({ dataset, template, from }: Record<string, unknown>): NewTaskSearch => ({
      ...(typeof dataset === 'string' ? { dataset } : {}),
      ...(typeof template === 'string' ? { template } : {}),
      ...(typeof from === 'string' ? { from } : {}),
    }),
    component: lazyRouteComponent(() => import('./builder/new-task-page.tsx'), 'NewTaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/templates',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./templates-page.tsx'), 'TemplatesPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/$taskId',
    component: lazyRouteComponent(() => import('./task-page.tsx'), 'TaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/$taskId/edit',
    component: lazyRouteComponent(() => import('./builder/edit-task-page.tsx'), 'EditTaskPage'),
  }),
  runRoute.addChildren([
    createRoute({
      getParentRoute: () => runRoute,
      path: '/',
      component: lazyRouteComponent(() => import('./run-overview.tsx'), 'RunOverview'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'samples',
      validateSearch: readLedgerSearch,
      component: lazyRouteComponent(() => import('./run-ledger.tsx'), 'RunLedger'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'outputs',
      component: lazyRouteComponent(() => import('./run-outputs-tab.tsx'), 'RunOutputsTab'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'log',
      component: lazyRouteComponent(() => import('./run-log-tab.tsx'), 'RunLogTab'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'thresholds',
      component: lazyRouteComponent(() => import('./run-thresholds.tsx'), 'RunThresholds'),
    }),
  ]),
] as const;

/** Initial values of a new task: the dataset to clean, and the template or task to copy steps from. */
export type NewTaskSearch = { dataset?: string; template?: string; from?: string };
