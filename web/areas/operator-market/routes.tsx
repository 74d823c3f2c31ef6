import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/shell-route.tsx';

export const operatorRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/operators',
    validateSearch: ({ keyword, kind }: Record<string, unknown>): { keyword?: string; kind?: string } => ({
      ...(typeof keyword === 'string' && keyword !== '' ? { keyword } : {}),
      ...(typeof kind === 'string' ? { kind } : {}),
    }),
    component: lazyRouteComponent(() => import('./operators-page.tsx'), 'OperatorsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/operators/$operatorId',
    component: lazyRouteComponent(() => import('./operator-page.tsx'), 'OperatorPage'),
  }),
] as const;
