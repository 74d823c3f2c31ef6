import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readDatasetSearch } from './dataset-search.ts';

export const datasetRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/datasets',
    validateSearch: readDatasetSearch,
    component: lazyRouteComponent(() => import('./datasets-page.tsx'), 'DatasetsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/datasets/$datasetId',
    component: lazyRouteComponent(() => import('./dataset-page.tsx'), 'DatasetPage'),
  }),
] as const;
