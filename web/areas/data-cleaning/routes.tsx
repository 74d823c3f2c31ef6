import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readListSearch } from '../../ui/list-search.ts';
import { readLedgerSearch } from '../../runs/ledger-search.ts';
import { readTasksSearch } from '../../runs/tasks-search.ts';

const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/cleaning/$taskId/runs/$runId',
  component: lazyPage(() => import('./run-page.tsx'), 'RunPage'),
});

export const cleaningRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning',
    validateSearch: readTasksSearch,
    component: lazyPage(() => import('./tasks-page.tsx'), 'TasksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/new',
    validateSearch: ({ dataset, template, from }: Record<string, unknown>): NewTaskSearch => ({
      ...(typeof dataset === 'string' ? { dataset } : {}),
      ...(typeof template === 'string' ? { template } : {}),
      ...(typeof from === 'string' ? { from } : {}),
    }),
    component: lazyPage(() => import('./builder/new-task-page.tsx'), 'NewTaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/templates',
    validateSearch: readListSearch,
    component: lazyPage(() => import('./templates-page.tsx'), 'TemplatesPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/profiles/$runId',
    component: lazyPage(() => import('./profile/profile-page.tsx'), 'ProfilePage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/$taskId',
    component: lazyPage(() => import('./task-page.tsx'), 'TaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/$taskId/edit',
    component: lazyPage(() => import('./builder/edit-task-page.tsx'), 'EditTaskPage'),
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
      component: lazyPage(() => import('./run-ledger.tsx'), 'RunLedger'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'inputs',
      validateSearch: readListSearch,
      component: lazyPage(() => import('./run-inputs.tsx'), 'RunInputs'),
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
    createRoute({
      getParentRoute: () => runRoute,
      path: 'thresholds',
      component: lazyPage(() => import('./run-thresholds.tsx'), 'RunThresholds'),
    }),
  ]),
] as const;

/** Initial values of a new task: the dataset to clean, and the template or task to copy steps from. */
export type NewTaskSearch = { dataset?: string; template?: string; from?: string };
