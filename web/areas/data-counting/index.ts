import { IconSum } from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { counting } from '../../runs/run-area.ts';
import { readTasksSearch } from '../../runs/tasks-search.ts';
import { useTasksRunning } from '../../runs/tasks-running.tsx';
import type { Area } from '../../shell/area.ts';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';

const loadTabs = async () => (await import('../../runs/run-tabs.tsx')).tabsOf(counting, () => null);

const runRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/counting/$taskId/runs/$runId',
  component: lazyPage(() => import('./run-page.tsx'), 'RunPage'),
});

const routes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/counting',
    validateSearch: readTasksSearch,
    component: lazyPage(() => import('./tasks-page.tsx'), 'TasksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/counting/new',
    component: lazyPage(() => import('./task-form.tsx'), 'NewTaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/counting/$taskId',
    component: lazyPage(() => import('./task-page.tsx'), 'TaskPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/counting/$taskId/edit',
    component: lazyPage(() => import('./task-form.tsx'), 'EditTaskPage'),
  }),
  runRoute.addChildren([
    createRoute({
      getParentRoute: () => runRoute,
      path: '/',
      component: lazyPage(() => import('./run-page.tsx'), 'RunOverview'),
    }),
    createRoute({ getParentRoute: () => runRoute, path: 'log', component: lazyPage(loadTabs, 'RunLogTab') }),
  ]),
] as const;

export const dataCounting = {
  order: 55,
  routes,
  navigation: [{ to: '/counting', label: (t) => t('counting.title'), icon: IconSum, group: 'prepare', key: 'x' }],
  useRunning: () => useTasksRunning(counting),
  tasks: { ...counting, label: (t) => t('counting.title') },
} as const satisfies Area & { routes: unknown };
