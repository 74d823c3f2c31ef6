import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Logo } from '../../ui/logo.tsx';
import { SignInForm } from '../../session/sign-in-form.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { t } = useTranslation();
  const router = useRouter();
  const queryClient = useQueryClient();
  const { next } = route.useSearch();
  useEffect(() => {
    document.title = `${t('auth.signIn.title')} · ${t('common.product')}`;
  }, [t]);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder p="xl" w={380} maw="100%">
        <Stack gap="md">
          <Stack gap={4} align="center">
            <Logo size={40} />
            <Title order={1} size="h3">
              {t('auth.signIn.title')}
            </Title>
            <Text size="sm" c="dimmed" ta="center">
              {t('auth.signIn.lead')}
            </Text>
          </Stack>
          <SignInForm
            onDone={async () => {
              queryClient.clear();
              await router.navigate({ href: next ?? '/', replace: true });
            }}
          />
          <Text size="xs" c="dimmed" ta="center">
            {t('auth.signIn.firstStart')}
          </Text>
        </Stack>
      </Paper>
    </Center>
  );
}
