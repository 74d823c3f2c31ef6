import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/shell-route.tsx';

export const cleaningRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning',
    component: lazyRouteComponent(() => import('./tasks-page.tsx'), 'TasksPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/cleaning/$taskId',
    component: lazyRouteComponent(() => import('./task-page.tsx'), 'TaskPage'),
  }),
] as const;
