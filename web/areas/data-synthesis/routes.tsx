import { createRoute } from '@tanstack/react-router';
import { loadPageTexts } from '../../messages/index.ts';
import { readLedgerSearch } from '../../runs/ledger-search.ts';
import { synthesis } from '../../runs/run-area.ts';
import { readTasksSearch } from '../../runs/tasks-search.ts';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readNewTaskSearch, readTemplateSearch, readTemplatesSearch } from './synthesis-search.ts';

/** A lazy page that also loads the texts of synthesis. */
const synthesisPage: typeof lazyPage = (load, name) =>
  lazyPage(async () => {
    const [page] = await Promise.all([load(), loadPageTexts('synthesis')]);
    return page;
  }, name);

const loadTabs = async () =>
  (await import('../../runs/run-tabs.tsx')).tabsOf(synthesis, (task) => task.targetDatasetId);

const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/synthesis/$taskId/runs/$runId',
  component: synthesisPage(() => import('./run-page.tsx'), 'RunPage'),
});

export const synthesisRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/synthesis',
    validateSearch: readTasksSearch,
    component: synthesisPage(() => import('./tasks-page.tsx'), 'TasksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/synthesis/new',
    validateSearch: readNewTaskSearch,
    component: synthesisPage(() => import('./new-task-page.tsx'), 'NewTaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/synthesis/templates',
    validateSearch: readTemplatesSearch,
    component: synthesisPage(() => import('./templates-page.tsx'), 'TemplatesPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/synthesis/templates/$templateId',
    validateSearch: readTemplateSearch,
    component: synthesisPage(() => import('./template-page.tsx'), 'TemplatePage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/synthesis/$taskId',
    component: synthesisPage(() => import('./task-page.tsx'), 'TaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/synthesis/$taskId/edit',
    component: synthesisPage(() => import('./edit-task-page.tsx'), 'EditTaskPage'),
  }),
  runRoute.addChildren([
    createRoute({
      getParentRoute: () => runRoute,
      path: '/',
      component: synthesisPage(() => import('./run-overview.tsx'), 'RunOverview'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'samples',
      validateSearch: readLedgerSearch,
      component: synthesisPage(() => import('./run-records.tsx'), 'RunRecords'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'outputs',
      component: synthesisPage(() => import('./run-outputs-tab.tsx'), 'RunOutputsTab'),
    }),
    createRoute({
      getParentRoute: () => runRoute,
      path: 'log',
      component: synthesisPage(loadTabs, 'RunLogTab'),
    }),
  ]),
] as const;
