import { createRoute } from '@tanstack/react-router';
import { loadPageTexts } from '../../messages/index.ts';
import { lazyPage } from '../../shell/lazy-page.ts';
import { shellRoute } from '../../shell/shell-route.tsx';
import {
  readAnswerSearch,
  readBasesSearch,
  readDocumentsSearch,
  readHitsSearch,
  readPlaceSearch,
} from './rag-search.ts';

/** A lazy page that also loads the texts of knowledge bases. */
const knowledgePage: typeof lazyPage = (load, name) =>
  lazyPage(async () => {
    const [page] = await Promise.all([load(), loadPageTexts('knowledge')]);
    return page;
  }, name);

const baseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/knowledge/$knowledgeBaseId',
  component: knowledgePage(() => import('./knowledge-base-page.tsx'), 'KnowledgeBasePage'),
});

export const ragRoutes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/knowledge',
    validateSearch: readBasesSearch,
    component: knowledgePage(() => import('./knowledge-bases-page.tsx'), 'KnowledgeBasesPage'),
  }),
  baseRoute.addChildren([
    createRoute({
      getParentRoute: () => baseRoute,
      path: '/',
      validateSearch: readDocumentsSearch,
      component: knowledgePage(() => import('./documents-tab.tsx'), 'DocumentsTab'),
    }),
    createRoute({
      getParentRoute: () => baseRoute,
      path: 'documents/$documentId',
      validateSearch: readPlaceSearch,
      component: knowledgePage(() => import('./document-page.tsx'), 'DocumentPage'),
    }),
    createRoute({
      getParentRoute: () => baseRoute,
      path: 'search',
      validateSearch: readHitsSearch,
      component: knowledgePage(() => import('./search-tab.tsx'), 'SearchTab'),
    }),
    createRoute({
      getParentRoute: () => baseRoute,
      path: 'answer',
      validateSearch: readAnswerSearch,
      component: knowledgePage(() => import('./answer-tab.tsx'), 'AnswerTab'),
    }),
    createRoute({
      getParentRoute: () => baseRoute,
      path: 'evaluate',
      component: knowledgePage(() => import('./evaluate-tab.tsx'), 'EvaluateTab'),
    }),
    createRoute({
      getParentRoute: () => baseRoute,
      path: 'settings',
      component: knowledgePage(() => import('./settings-tab.tsx'), 'SettingsTab'),
    }),
  ]),
] as const;
