import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readListSearch } from '../../ui/list-search.ts';
import { readDatasetSearch } from './dataset-search.ts';
import { readFilesSearch } from './file-search.ts';

const listRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/datasets',
  validateSearch: readDatasetSearch,
  component: lazyRouteComponent(() => import('./datasets-page.tsx'), 'DatasetsPage'),
});

const datasetRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/datasets/$datasetId',
  component: lazyRouteComponent(() => import('./dataset-page.tsx'), 'DatasetPage'),
});

const tabs = datasetRoute.addChildren([
  createRoute({
    getParentRoute: () => datasetRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./dataset-overview.tsx'), 'DatasetOverview'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'files',
    validateSearch: readFilesSearch,
    component: lazyRouteComponent(() => import('./dataset-files.tsx'), 'DatasetFiles'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'files/$fileId',
    validateSearch: (search: Record<string, unknown>): { version?: number } =>
      typeof search.version === 'number' ? { version: search.version } : {},
    component: lazyRouteComponent(() => import('./file-page.tsx'), 'FilePage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'upload',
    validateSearch: (search: Record<string, unknown>): { prefix?: string } =>
      typeof search.prefix === 'string' && search.prefix !== '' ? { prefix: search.prefix } : {},
    component: lazyRouteComponent(() => import('./uploads/upload-page.tsx'), 'UploadPage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'versions',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./dataset-versions.tsx'), 'DatasetVersions'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'settings',
    component: lazyRouteComponent(() => import('./dataset-settings.tsx'), 'DatasetSettings'),
  }),
]);

export const datasetRoutes = [listRoute, tabs] as const;
