import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';

export const operatorRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/operators',
    validateSearch: ({ keyword, kind }: Record<string, unknown>): { keyword?: string; kind?: string } => ({
      ...(typeof keyword === 'string' && keyword !== '' ? { keyword } : {}),
      ...(typeof kind === 'string' ? { kind } : {}),
    }),
    component: lazyPage(() => import('./operators-page.tsx'), 'OperatorsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/operators/$operatorId',
    component: lazyPage(() => import('./operator-page.tsx'), 'OperatorPage'),
  }),
] as const;
