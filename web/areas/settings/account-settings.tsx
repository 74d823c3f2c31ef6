import {
  Button,
  Group,
  PasswordInput,
  SegmentedControl,
  Stack,
  Table,
  Text,
  Title,
  useMantineColorScheme,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import { chooseLanguage } from '../../messages/index.ts';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useLocale } from '../../ui/figures.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { signIn } from '../../session/session-queries.ts';
import { useMe } from '../../session/use-role.ts';
import { isPasswordLength } from './password-length.ts';

export function AccountSettings() {
  const { t } = useTranslation();
  const me = useMe();
  const locale = useLocale();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Stack maw={560}>
      <div className="panel">
        <Table withRowBorders={false}>
          <Table.Tbody>
            <Table.Tr>
              <Table.Th scope="row" w={160} fw={400} c="dimmed">
                {t('settings.account.username')}
              </Table.Th>
              <Table.Td>{me.username}</Table.Td>
            </Table.Tr>
            <Table.Tr>
              <Table.Th scope="row" fw={400} c="dimmed">
                {t('settings.account.role')}
              </Table.Th>
              <Table.Td>
                {t(`common.account.roles.${me.role}`)}
                <Text size="xs" c="dimmed">
                  {t(`settings.account.roleMeans.${me.role}`)}
                </Text>
              </Table.Td>
            </Table.Tr>
            <Table.Tr>
              <Table.Th scope="row" fw={400} c="dimmed">
                {t('common.language.label')}
              </Table.Th>
              <Table.Td>
                <SegmentedControl
                  size="xs"
                  aria-label={t('common.language.label')}
                  value={locale}
                  onChange={(value) => void chooseLanguage(value === 'zh' ? 'zh' : 'en')}
                  data={(['en', 'zh'] as const).map((value) => ({ value, label: t(`common.language.${value}`) }))}
                />
              </Table.Td>
            </Table.Tr>
            <Table.Tr>
              <Table.Th scope="row" fw={400} c="dimmed">
                {t('common.theme.label')}
              </Table.Th>
              <Table.Td>
                <SegmentedControl
                  size="xs"
                  aria-label={t('common.theme.label')}
                  value={colorScheme}
                  onChange={(value) => setColorScheme(value === 'light' || value === 'dark' ? value : 'auto')}
                  data={(['light', 'dark', 'auto'] as const).map((value) => ({
                    value,
                    label: t(`common.theme.${value}`),
                  }))}
                />
              </Table.Td>
            </Table.Tr>
          </Table.Tbody>
        </Table>
      </div>
      <PasswordForm username={me.username} />
    </Stack>
  );
}

function PasswordForm({ username }: { username: string }) {
  const { t } = useTranslation();
  const draft = useDraft(
    { currentPassword: '', newPassword: '', repeated: '' },
    {
      checks: {
        currentPassword: ({ currentPassword }) => (currentPassword === '' ? t('auth.signIn.required') : undefined),
        newPassword: ({ newPassword }) =>
          isPasswordLength(newPassword) ? undefined : t('settings.account.passwordLength'),
        repeated: ({ repeated, newPassword }) =>
          repeated === newPassword ? undefined : t('settings.account.passwordsDiffer'),
      },
    },
  );
  const change = useMutation({
    mutationFn: async ({ currentPassword, newPassword }: typeof draft.values) => {
      await dataOf(api.PUT('/api/v1/auth/me/password', { body: { currentPassword, newPassword } }));
      // Changing the password ended every session, including this one.
      await signIn({ username, password: newPassword });
    },
    onSuccess: () => {
      draft.reset();
      notifyDone(t('settings.account.passwordChanged'));
    },
  });
  return (
    <form className="panel" onSubmit={draft.submit(change.mutate)}>
      <Stack gap="sm">
        <Title order={2} size="h5">
          {t('settings.account.changePassword')}
        </Title>
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <PasswordInput
          label={t('settings.account.currentPassword')}
          autoComplete="current-password"
          {...draft.text('currentPassword')}
        />
        <PasswordInput
          label={t('settings.account.newPassword')}
          description={t('settings.account.passwordLength')}
          autoComplete="new-password"
          {...draft.text('newPassword')}
        />
        <PasswordInput
          label={t('settings.account.repeatPassword')}
          autoComplete="new-password"
          {...draft.text('repeated')}
        />
        {change.isError && <ErrorPanel error={change.error} />}
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            {t('settings.account.passwordEffect')}
          </Text>
          <Button type="submit" loading={change.isPending}>
            {t('settings.account.changePassword')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
