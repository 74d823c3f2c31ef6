import { IconBooks } from '@tabler/icons-react';
import { api, dataOf } from '../../api/client.ts';
import type { Area } from '../../shell/area.ts';
import { ragRoutes } from './routes.tsx';
import { addressOfRagRun } from './run-address.ts';
import { useDocumentsRunning } from './documents-running.tsx';
import { useDocumentDrop } from './use-document-drop.ts';
import { useRagActions } from './use-rag-actions.ts';

export const rag = {
  order: 60,
  routes: ragRoutes,
  navigation: [
    {
      to: '/knowledge',
      label: (t) => t('shell.places.knowledge'),
      icon: IconBooks,
      group: 'use',
      key: 'k',
      useCount: () => ({ count: useDocumentsRunning().count, isRunning: true }),
    },
  ],
  search: [
    {
      name: 'knowledge-bases',
      label: (t) => t('shell.search.knowledgeBases'),
      icon: IconBooks,
      async find(keyword, size) {
        const found = await dataOf(api.GET('/api/v1/rag/knowledge-bases', { params: { query: { keyword, size } } }));
        return found.data.content.map(({ id, name, description }) => ({
          id,
          label: name,
          description,
          to: `/knowledge/${id}`,
        }));
      },
    },
  ],
  useRunning: useDocumentsRunning,
  useActions: useRagActions,
  useDrop: useDocumentDrop,
  tasks: {
    prefix: 'rag',
    path: '/knowledge',
    label: (t) => t('shell.places.knowledge'),
    addressOf: addressOfRagRun,
    withoutTask: { prefix: 'rag-rebuild', path: '/knowledge' },
  },
} as const satisfies Area & { routes: unknown };
