import { IconPlus, IconUpload } from '@tabler/icons-react';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../session/use-role.ts';
import type { Action } from '../../shell/area.ts';

/** Actions on datasets that are available on every page. */
export function useDatasetActions(): readonly Action[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const datasetId = /^\/datasets\/([^/]+)/.exec(path)?.[1];
  if (!mayEdit) return [];
  const actions: Action[] = [
    {
      id: 'new-dataset',
      label: t('shell.actions.newDataset'),
      icon: IconPlus,
      run: () => void navigate({ to: '/datasets', search: { new: true } }),
    },
  ];
  if (datasetId !== undefined)
    actions.push({
      id: 'upload',
      label: t('shell.actions.upload'),
      icon: IconUpload,
      run: () => void navigate({ to: '/datasets/$datasetId/upload', params: { datasetId } }),
    });
  return actions;
}
