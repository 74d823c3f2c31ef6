import { createRoute } from '@tanstack/react-router';
import { loadPageTexts } from '../../messages/index.ts';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';
import type { CompareSearch, MarketSearch, PackageSearch } from './market/market-search.ts';

/** A lazy page that also loads the texts of operators. */
const operatorPage: typeof lazyPage = (load, name) =>
  lazyPage(async () => {
    const [page] = await Promise.all([load(), loadPageTexts('operators')]);
    return page;
  }, name);

/** A lazy page that also loads the texts of operators and their market. */
const marketPage: typeof lazyPage = (load, name) =>
  lazyPage(async () => {
    const [page] = await Promise.all([load(), loadPageTexts('operators'), loadPageTexts('market')]);
    return page;
  }, name);

// The pages of the market parse their search parameters themselves: the parser is not loaded with the first page.
export const operatorRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/operators',
    validateSearch: ({ keyword, kind }: Record<string, unknown>): { keyword?: string; kind?: string } => ({
      ...(typeof keyword === 'string' && keyword !== '' ? { keyword } : {}),
      ...(typeof kind === 'string' ? { kind } : {}),
    }),
    component: operatorPage(() => import('./operators-page.tsx'), 'OperatorsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/operators/$operatorId',
    component: operatorPage(() => import('./operator-page.tsx'), 'OperatorPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/market',
    validateSearch: (search: Record<string, unknown>): MarketSearch => search,
    component: marketPage(() => import('./market/market-page.tsx'), 'MarketPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/market/publish',
    component: marketPage(() => import('./market/publish-page.tsx'), 'PublishPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/market/publishers',
    component: marketPage(() => import('./market/publishers-page.tsx'), 'PublishersPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/market/operators/$operatorId',
    validateSearch: (search: Record<string, unknown>): PackageSearch => search,
    component: marketPage(() => import('./market/package-page.tsx'), 'PackagePage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/market/operators/$operatorId/compare',
    validateSearch: (search: Record<string, unknown>): CompareSearch => search,
    component: marketPage(() => import('./market/compare-page.tsx'), 'ComparePage'),
  }),
] as const;
