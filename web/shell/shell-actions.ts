import { useMantineColorScheme } from '@mantine/core';
import { IconLanguage, IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { chooseLanguage } from '../messages/index.ts';
import { signOut } from '../session/session-queries.ts';
import type { Action } from './area.ts';

/** Ends the session and opens the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const router = useRouter();
  const queryClient = useQueryClient();
  return async () => {
    await signOut();
    queryClient.clear();
    await router.navigate({ to: '/sign-in' });
  };
}

/** The actions of the shell itself. */
export function useShellActions(): readonly Action[] {
  const { t } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const leave = useSignOut();
  return [
    { id: 'light', label: t('shell.actions.light'), icon: IconSun, run: () => setColorScheme('light') },
    { id: 'dark', label: t('shell.actions.dark'), icon: IconMoon, run: () => setColorScheme('dark') },
    { id: 'en', label: t('shell.actions.english'), icon: IconLanguage, run: () => void chooseLanguage('en') },
    { id: 'zh', label: t('shell.actions.chinese'), icon: IconLanguage, run: () => void chooseLanguage('zh') },
    { id: 'sign-out', label: t('shell.actions.signOut'), icon: IconLogout, run: () => void leave() },
  ];
}
