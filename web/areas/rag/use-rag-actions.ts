import { IconBooks } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../session/use-role.ts';
import type { Action } from '../../shell/area.ts';

/** Actions on knowledge bases that are available on every page. */
export function useRagActions(): readonly Action[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  if (!mayEdit) return [];
  return [
    {
      id: 'new-knowledge-base',
      label: t('shell.actions.newKnowledgeBase'),
      icon: IconBooks,
      run: () => void navigate({ to: '/knowledge', search: { new: true } }),
    },
  ];
}
