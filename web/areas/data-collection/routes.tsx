import { createRoute } from '@tanstack/react-router';
import { loadPageTexts } from '../../messages/index.ts';
import { readLedgerSearch } from '../../runs/ledger-search.ts';
import { collection } from '../../runs/run-area.ts';
import { readTasksSearch } from '../../runs/tasks-search.ts';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readNewTaskSearch } from './collection-search.ts';

/** A lazy page that also loads the texts of data collection. */
const collectionPage: typeof lazyPage = (load, name) =>
  lazyPage(async () => {
    const [page] = await Promise.all([load(), loadPageTexts('collection')]);
    return page;
  }, name);

const loadTabs = async () =>
  (await import('../../runs/run-tabs.tsx')).tabsOf(collection, (task) => task.targetDatasetId);

const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/collection/$taskId/runs/$runId',
  component: collectionPage(() => import('./run-page.tsx'), 'RunPage'),
});

export const collectionRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/collection',
    validateSearch: readTasksSearch,
    component: collectionPage(() => import('./tasks-page.tsx'), 'TasksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/collection/new',
    validateSearch: readNewTaskSearch,
    component: collectionPage(() => import('./new-task-page.tsx'), 'NewTaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/collection/$taskId',
    component: collectionPage(() => import('./task-page.tsx'), 'TaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/collection/$taskId/edit',
    component: collectionPage(() => import('./edit-task-page.tsx'), 'EditTaskPage'),
  }),
  runRoute.addChildren([
    createRoute({
      getParentRoute: () => runRoute,
      path: '/',
      component: collectionPage(() => import('./run-overview.tsx'), 'RunOverview'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'samples',
      validateSearch: readLedgerSearch,
      component: collectionPage(() => import('./run-items.tsx'), 'RunItems'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'outputs',
      component: collectionPage(loadTabs, 'RunOutputsTab'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'log',
      component: collectionPage(loadTabs, 'RunLogTab'),
    }),
  ]),
] as const;
