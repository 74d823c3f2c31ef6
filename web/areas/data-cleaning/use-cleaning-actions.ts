import { IconFilterPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../session/use-role.ts';
import type { Action } from '../../shell/area.ts';

/** Actions on cleaning tasks that are available on every page. */
export function useCleaningActions(): readonly Action[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  if (!mayEdit) return [];
  return [
    {
      id: 'new-task',
      label: t('shell.actions.newTask'),
      icon: IconFilterPlus,
      run: () => void navigate({ to: '/cleaning/new' }),
    },
  ];
}
