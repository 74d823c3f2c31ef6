import { Outlet, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page } from '../../ui/page.tsx';
import { LinkTabs } from '../../ui/tabs.tsx';
import { useMe } from '../../session/use-role.ts';

const tabs = ['account', 'api-keys', 'models', 'users', 'nodes', 'about'] as const;
const adminTabs: readonly string[] = ['users', 'nodes'];

export function SettingsPage() {
  const { t } = useTranslation();
  const me = useMe();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const shown = tabs.filter((tab) => !adminTabs.includes(tab) || me.role === 'ADMIN');
  const open = tabs.find((tab) => path.startsWith(`/settings/${tab}`)) ?? 'account';
  return (
    <Page title={t('settings.title')} section={t(`settings.tabs.${open}`)}>
      <LinkTabs
        label={t('settings.title')}
        value={open}
        tabs={shown.map((value) => ({ value, label: t(`settings.tabs.${value}`), to: `/settings/${value}` }))}
      />
      <Outlet />
    </Page>
  );
}
