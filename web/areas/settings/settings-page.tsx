import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page } from '../../ui/page.tsx';
import { LinkTabs } from '../../ui/tabs.tsx';
import { useMe } from '../../session/use-role.ts';

const tabs = ['account', 'api-keys', 'models', 'users', 'about'] as const;

export function SettingsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const me = useMe();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const shown = tabs.filter((tab) => tab !== 'users' || me.role === 'ADMIN');
  return (
    <Page title={t('settings.title')}>
      <LinkTabs
        label={t('settings.title')}
        value={tabs.find((tab) => path.startsWith(`/settings/${tab}`)) ?? 'account'}
        onChange={(tab) => void navigate({ to: `/settings/${tab}` })}
        tabs={shown.map((value) => ({ value, label: t(`settings.tabs.${value}`) }))}
      />
      <Outlet />
    </Page>
  );
}
