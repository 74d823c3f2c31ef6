import { IconBooks } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../session/use-role.ts';
import type { Drop } from '../../shell/area.ts';
import { baseQuery } from './rag-queries.ts';

/** Files dropped on a page of a knowledge base become its documents. */
export function useDocumentDrop(): Drop | undefined {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const id = /^\/knowledge\/([^/]+)/.exec(path)?.[1];
  const { data: base } = useQuery({ ...baseQuery(id ?? ''), enabled: id !== undefined });
  if (id === undefined || base === undefined || !mayEdit) return undefined;
  return {
    icon: IconBooks,
    label: t('shell.addDocuments.label', { name: base.name }),
    lead: t('shell.addDocuments.lead'),
    async take(files) {
      const { addFiles } = await import('./document-uploads.ts');
      void addFiles(id, files);
      await navigate({ to: '/knowledge/$knowledgeBaseId', params: { knowledgeBaseId: id } });
    },
  };
}
