import { IconSparkles } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../session/use-role.ts';
import type { Action } from '../../shell/area.ts';

/** Actions of synthesis that are available on every page. */
export function useSynthesisActions(): readonly Action[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  if (!mayEdit) return [];
  return [
    {
      id: 'new-synthesis-task',
      label: t('shell.actions.newSynthesisTask'),
      icon: IconSparkles,
      run: () => void navigate({ to: '/synthesis/new' }),
    },
  ];
}
