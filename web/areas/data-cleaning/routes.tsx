import { createRoute } from '@tanstack/react-router';
import { loadPageTexts } from '../../messages/index.ts';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readListSearch } from '../../ui/list-search.ts';
import { readLedgerSearch } from '../../runs/ledger-search.ts';
import { cleaning } from '../../runs/run-area.ts';
import { readTasksSearch } from '../../runs/tasks-search.ts';

/** A lazy page that also loads the texts of cleaning and operators. */
const cleaningPage: typeof lazyPage = (load, name) =>
  lazyPage(async () => {
    const [page] = await Promise.all([load(), loadPageTexts('cleaning'), loadPageTexts('operators')]);
    return page;
  }, name);

const loadTabs = async () => (await import('../../runs/run-tabs.tsx')).tabsOf(cleaning, (task) => task.targetDatasetId);

const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/cleaning/$taskId/runs/$runId',
  component: cleaningPage(() => import('./run-page.tsx'), 'RunPage'),
});

export const cleaningRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning',
    validateSearch: readTasksSearch,
    component: cleaningPage(() => import('./tasks-page.tsx'), 'TasksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/new',
    validateSearch: ({ dataset, template, from }: Record<string, unknown>): NewTaskSearch => ({
      ...(typeof dataset === 'string' ? { dataset } : {}),
      ...(typeof template === 'string' ? { template } : {}),
      ...(typeof from === 'string' ? { from } : {}),
    }),
    component: cleaningPage(() => import('./builder/new-task-page.tsx'), 'NewTaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/templates',
    validateSearch: readListSearch,
    component: cleaningPage(() => import('./templates-page.tsx'), 'TemplatesPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/profiles/$runId',
    component: cleaningPage(() => import('./profile/profile-page.tsx'), 'ProfilePage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/$taskId',
    component: cleaningPage(() => import('./task-page.tsx'), 'TaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/$taskId/edit',
    component: cleaningPage(() => import('./builder/edit-task-page.tsx'), 'EditTaskPage'),
  }),
  runRoute.addChildren([
    createRoute({
      getParentRoute: () => runRoute,
      path: '/',
      component: cleaningPage(() => import('./run-overview.tsx'), 'RunOverview'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'samples',
      validateSearch: readLedgerSearch,
      component: cleaningPage(() => import('./run-ledger.tsx'), 'RunLedger'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'inputs',
      validateSearch: readListSearch,
      component: cleaningPage(() => import('./run-inputs.tsx'), 'RunInputs'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'outputs',
      component: cleaningPage(loadTabs, 'RunOutputsTab'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'log',
      component: cleaningPage(loadTabs, 'RunLogTab'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'thresholds',
      component: cleaningPage(() => import('./thresholds/run-thresholds.tsx'), 'RunThresholds'),
    }),
  ]),
] as const;

/** Initial values of a new task: the dataset to clean, and the template or task to copy steps from. */
export type NewTaskSearch = { dataset?: string; template?: string; from?: string };
