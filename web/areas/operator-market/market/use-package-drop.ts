import { IconBuildingStore } from '@tabler/icons-react';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMayEdit } from '../../../session/use-role.ts';
import type { Drop } from '../../../shell/area.ts';

/** A package dropped on a page of the market is examined for publication. */
export function usePackageDrop(): Drop | undefined {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  if (!mayEdit || !/^\/market(?:\/|$)/.test(path)) return undefined;
  return {
    icon: IconBuildingStore,
    label: t('shell.publishPackage.label'),
    lead: t('shell.publishPackage.lead'),
    async take(files) {
      const { handPackage } = await import('./handed-package.ts');
      handPackage(files.map(({ file }) => file));
      await navigate({ to: '/market/publish' });
    },
  };
}
