import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';
import { readBasesSearch, readDocumentsSearch } from './rag-search.ts';

const baseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/knowledge/$knowledgeBaseId',
  component: lazyPage(() => import('./knowledge-base-page.tsx'), 'KnowledgeBasePage'),
});

export const ragRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/knowledge',
    validateSearch: readBasesSearch,
    component: lazyPage(() => import('./knowledge-bases-page.tsx'), 'KnowledgeBasesPage'),
  }),
  baseRoute.addChildren([
    createRoute({
      getParentRoute: () => baseRoute,
      path: '/',
      validateSearch: readDocumentsSearch,
      component: lazyPage(() => import('./documents-tab.tsx'), 'DocumentsTab'),
    }),
    createRoute({
      getParentRoute: () => baseRoute,
      path: 'settings',
      component: lazyPage(() => import('./settings-tab.tsx'), 'SettingsTab'),
    }),
  ]),
] as const;
