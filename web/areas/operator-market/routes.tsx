import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/shell-route.tsx';

export const operatorRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/operators',
    component: lazyRouteComponent(() => import('./operators-page.tsx'), 'OperatorsPage'),
  }),
] as const;
