import {
  ActionIcon,
  AppShell,
  Burger,
  Group,
  Menu,
  Text,
  Tooltip,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconLanguage,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSettings,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { meQuery } from '../session/session-queries.ts';
import { chooseLanguage } from '../messages/index.ts';
import { useLocale } from '../ui/figures.tsx';
import { Logo } from '../ui/logo.tsx';
import { useAreas } from './area.ts';
import { Connection } from './connection.tsx';
import { DiskSpace } from './disk-space.tsx';
import { ExpiredSession } from './expired-session.tsx';
import { RunningNow } from './running-now.tsx';
import { Keys } from './keys.tsx';
import { Navigation, navigationWidth, useFoldedNavigation } from './navigation.tsx';
import { openSearch, Search } from './search.tsx';
import { useSignOut } from './shell-actions.ts';

/** The frame of every page: navigation by area, search, current activity, account. */
export function Shell() {
  const { t } = useTranslation();
  const [opened, { toggle, close }] = useDisclosure();
  const [isFolded, fold] = useFoldedNavigation();
  const areas = useAreas();
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{
        width: isFolded ? navigationWidth.folded : navigationWidth.open,
        breakpoint: 'sm',
        collapsed: { mobile: !opened },
      }}
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
      <AppShell.Navbar aria-label={t('common.navigation.label')}>
        {/* In a narrow window the unfolded navigation opens over the page. */}
        <Navigation isFolded={isFolded && !opened} onFold={fold} onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content">
        <Connection />
        <DiskSpace />
        <Outlet />
      </AppShell.Main>
      <Search />
      <Keys />
      {areas.flatMap(({ Overlay }, index) => (Overlay === undefined ? [] : [<Overlay key={index} />]))}
      <ExpiredSession />
    </AppShell>
  );
}

function SearchBox() {
  const { t } = useTranslation();
  return (
    <UnstyledButton
      className="search-box"
      onClick={openSearch}
      aria-label={`${t('shell.search.placeholder')} Ctrl K`}
      aria-keyshortcuts="Control+K"
    >
      <Group gap="xs" wrap="nowrap">
        <IconSearch size={16} />
        <Text size="sm" c="dimmed" truncate visibleFrom="xs">
          {t('shell.search.placeholder')}
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
  const { data: me } = useSuspenseQuery(meQuery);
  const leave = useSignOut();
  const [isOpen, setOpen] = useState(false);
  return (
    <Menu opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <Tooltip label={t('common.account.signedInAs', { name: me.username })} disabled={isOpen}>
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
