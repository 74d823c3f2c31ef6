import {
  ActionIcon,
  AppShell,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconApi,
  IconLanguage,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSettings,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { meQuery, signOut } from '../session/session-queries.ts';
import { chooseLanguage } from '../messages/index.ts';
import { useLocale } from '../ui/figures.tsx';
import { Logo } from '../ui/logo.tsx';
import { useAreas } from './area.ts';
import { Connection } from './connection.tsx';
import { DiskSpace } from './disk-space.tsx';
import { ExpiredSession } from './expired-session.tsx';
import { RunningNow } from './running-now.tsx';
import { openSearch, Search } from './search.tsx';
import { addressOf } from '../api/path-prefix.ts';

/** What surrounds every page: navigation by area, search, what is running, account. */
export function Shell() {
  const { t } = useTranslation();
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip-link" href="#content">
        {t('common.navigation.skip')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? t('common.navigation.close') : t('common.navigation.open')}
            />
            <Link to="/" className="plain-link" aria-label={`${t('common.product')}: ${t('common.navigation.home')}`}>
              <Group gap="xs" wrap="nowrap">
                <Logo size={26} />
                <Text fw={650} visibleFrom="xs">
                  {t('common.product')}
                </Text>
              </Group>
            </Link>
          </Group>
          <SearchBox />
          <Group gap={4} wrap="nowrap">
            <RunningNow />
            <LanguageMenu />
            <SchemeButton />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t('common.navigation.label')}>
        <ScrollArea>
          <Navigation onNavigate={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <Connection />
        <DiskSpace />
        <Outlet />
      </AppShell.Main>
      <Search />
      <ExpiredSession />
    </AppShell>
  );
}

function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const { t } = useTranslation();
  const places = useAreas().flatMap(({ navigation = [] }) => navigation);
  return (
    <>
      {places.map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} className="plain-link" activeOptions={{ exact: to === '/' }} onClick={onNavigate}>
          {({ isActive }) => (
            <NavLink component="span" active={isActive} label={label(t)} leftSection={<Icon size={18} />} />
          )}
        </Link>
      ))}
      <NavLink href={addressOf('/docs')} label={t('common.navigation.apiDocs')} leftSection={<IconApi size={18} />} />
    </>
  );
}

function SearchBox() {
  const { t } = useTranslation();
  return (
    <UnstyledButton
      className="search-box"
      onClick={openSearch}
      aria-label={`${t('common.search.placeholder')} Ctrl K`}
      aria-keyshortcuts="Control+K"
    >
      <Group gap="xs" wrap="nowrap">
        <IconSearch size={16} />
        <Text size="sm" c="dimmed" truncate visibleFrom="xs">
          {t('common.search.placeholder')}
        </Text>
        <Text size="xs" c="dimmed" ml="auto" visibleFrom="sm">
          Ctrl K
        </Text>
      </Group>
    </UnstyledButton>
  );
}

function LanguageMenu() {
  const { t } = useTranslation();
  const locale = useLocale();
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('common.language.label')}>
          <IconLanguage size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {(['en', 'zh'] as const).map((language) => (
          <Menu.Item
            key={language}
            fw={locale === language ? 650 : undefined}
            onClick={() => void chooseLanguage(language)}
            lang={language}
          >
            {t(`common.language.${language}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function SchemeButton() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('common.theme.label')}>
          {colorScheme === 'dark' ? <IconMoon size={18} /> : <IconSun size={18} />}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {(['light', 'dark', 'auto'] as const).map((scheme) => (
          <Menu.Item key={scheme} fw={colorScheme === scheme ? 650 : undefined} onClick={() => setColorScheme(scheme)}>
            {t(`common.theme.${scheme}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountMenu() {
  const { t } = useTranslation();
  const router = useRouter();
  const queryClient = useQueryClient();
  const { data: me } = useSuspenseQuery(meQuery);
  const leave = async (): Promise<void> => {
    await signOut();
    queryClient.clear();
    await router.navigate({ to: '/sign-in' });
  };
  return (
    <Menu>
      <Menu.Target>
        <Tooltip label={t('common.account.signedInAs', { name: me.username })}>
          <ActionIcon variant="subtle" color="gray" aria-label={t('common.account.menu')}>
            <IconUserCircle size={20} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {me.username} · {t(`common.account.roles.${me.role}`)}
        </Menu.Label>
        <Menu.Item leftSection={<IconSettings size={16} />} onClick={() => void router.navigate({ to: '/settings' })}>
          {t('common.account.settings')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()}>
          {t('common.account.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
