import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readListSearch } from '../../ui/list-search.ts';
import { readDatasetSearch } from './dataset-search.ts';
import { readFilesSearch } from './file-search.ts';

const listRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/datasets',
  validateSearch: readDatasetSearch,
  component: lazyPage(() => import('./datasets-page.tsx'), 'DatasetsPage'),
});

const datasetRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/datasets/$datasetId',
  component: lazyPage(() => import('./dataset-page.tsx'), 'DatasetPage'),
});

const tabs = datasetRoute.addChildren([
  createRoute({
    getParentRoute: () => datasetRoute,
    path: '/',
    validateSearch: ({ file }: Record<string, unknown>): { file?: string } =>
      typeof file === 'string' ? { file } : {},
    component: lazyPage(() => import('./dataset-data.tsx'), 'DatasetData'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'lineage',
    component: lazyPage(() => import('./dataset-lineage.tsx'), 'DatasetLineage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'files',
    validateSearch: readFilesSearch,
    component: lazyPage(() => import('./dataset-files.tsx'), 'DatasetFiles'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'files/$fileId',
    validateSearch: (search: Record<string, unknown>): { version?: number } =>
      typeof search.version === 'number' ? { version: search.version } : {},
    component: lazyPage(() => import('./file-page.tsx'), 'FilePage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'upload',
    validateSearch: (search: Record<string, unknown>): { prefix?: string } =>
      typeof search.prefix === 'string' && search.prefix !== '' ? { prefix: search.prefix } : {},
    component: lazyPage(() => import('./uploads/upload-page.tsx'), 'UploadPage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'versions',
    validateSearch: readListSearch,
    component: lazyPage(() => import('./dataset-versions.tsx'), 'DatasetVersions'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'settings',
    component: lazyPage(() => import('./dataset-settings.tsx'), 'DatasetSettings'),
  }),
]);

export const datasetRoutes = [listRoute, tabs] as const;
