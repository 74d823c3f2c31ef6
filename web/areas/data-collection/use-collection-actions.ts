import { IconDownload } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../session/use-role.ts';
import type { Action } from '../../shell/area.ts';

/** Actions of collection that are available on every page. */
export function useCollectionActions(): readonly Action[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  if (!mayEdit) return [];
  return [
    {
      id: 'new-collection-task',
      label: t('shell.actions.newCollectionTask'),
      icon: IconDownload,
      run: () => void navigate({ to: '/collection/new' }),
    },
  ];
}
