import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readListSearch } from '../../ui/list-search.ts';
import { loadPageTexts } from '../../messages/index.ts';
import { readDatasetSearch } from './dataset-search.ts';
import { readFilesSearch } from './file-search.ts';
import { readLineageSearch, readUseSearch } from './lineage/lineage-search.ts';
import { readRowsSearch, readVersionSearch } from './file-views/rows/rows-search.ts';
import { readDiffSearch, readPurgesSearch, readRowDiffSearch } from './versions/version-search.ts';

/** A lazy page of one dataset that also loads the texts of all these pages. */
const datasetPage: typeof lazyPage = (load, name) =>
  lazyPage(async () => {
    const [page] = await Promise.all([load(), loadPageTexts('viewer'), loadPageTexts('uploads')]);
    return page;
  }, name);

const listRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/datasets',
  validateSearch: readDatasetSearch,
  component: lazyPage(() => import('./datasets-page.tsx'), 'DatasetsPage'),
});

const useRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/lineage',
  validateSearch: readUseSearch,
  component: datasetPage(() => import('./lineage/use-page.tsx'), 'UsePage'),
});

const datasetRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/datasets/$datasetId',
  component: datasetPage(() => import('./dataset-page.tsx'), 'DatasetPage'),
});

const tabs = datasetRoute.addChildren([
  createRoute({
    getParentRoute: () => datasetRoute,
    path: '/',
    validateSearch: (search: Record<string, unknown>) => ({
      ...(typeof search.file === 'string' ? { file: search.file } : {}),
      ...readVersionSearch(search),
      ...readRowsSearch(search),
    }),
    component: datasetPage(() => import('./dataset-data.tsx'), 'DatasetData'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'lineage',
    validateSearch: readLineageSearch,
    component: datasetPage(() => import('./lineage/lineage-page.tsx'), 'LineagePage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'files',
    validateSearch: readFilesSearch,
    component: datasetPage(() => import('./dataset-files.tsx'), 'DatasetFiles'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'files/$fileId',
    validateSearch: (search: Record<string, unknown>) => ({ ...readVersionSearch(search), ...readRowsSearch(search) }),
    component: datasetPage(() => import('./file-page.tsx'), 'FilePage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'upload',
    validateSearch: (search: Record<string, unknown>): { prefix?: string } =>
      typeof search.prefix === 'string' && search.prefix !== '' ? { prefix: search.prefix } : {},
    component: datasetPage(() => import('./uploads/upload-page.tsx'), 'UploadPage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'query',
    validateSearch: (search: Record<string, unknown>) => ({
      ...(typeof search.sql === 'string' ? { sql: search.sql } : {}),
      ...readVersionSearch(search),
    }),
    component: datasetPage(() => import('./query/query-page.tsx'), 'QueryPage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'versions',
    validateSearch: readListSearch,
    component: datasetPage(() => import('./versions/versions-page.tsx'), 'DatasetVersions'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'versions/diff',
    validateSearch: readDiffSearch,
    component: datasetPage(() => import('./versions/diff-page.tsx'), 'DiffPage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'versions/purges',
    validateSearch: readPurgesSearch,
    component: datasetPage(() => import('./versions/purges-page.tsx'), 'PurgesPage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'versions/rows',
    validateSearch: readRowDiffSearch,
    component: datasetPage(() => import('./versions/row-diff-page.tsx'), 'RowDiffPage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'statistics',
    validateSearch: (search: Record<string, unknown>): { version?: number; file?: string } => ({
      ...readVersionSearch(search),
      ...(typeof search.file === 'string' && search.file !== '' ? { file: search.file } : {}),
    }),
    component: datasetPage(() => import('./statistics/statistics-page.tsx'), 'StatisticsPage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'card',
    validateSearch: readVersionSearch,
    component: datasetPage(() => import('./card/card-page.tsx'), 'CardPage'),
  }),
  createRoute({
    getParentRoute: () => datasetRoute,
    path: 'settings',
    validateSearch: readVersionSearch,
    component: datasetPage(() => import('./dataset-settings.tsx'), 'DatasetSettings'),
  }),
]);

export const datasetRoutes = [listRoute, useRoute, tabs] as const;
