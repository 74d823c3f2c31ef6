import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readRunsSearch } from './runs-search.ts';

export const runRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/runs',
    validateSearch: readRunsSearch,
    component: lazyPage(() => import('./runs-page.tsx'), 'RunsPage'),
  }),
] as const;
