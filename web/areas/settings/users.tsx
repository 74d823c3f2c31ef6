import { Button, Group, Modal, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { User } from '../../api/schema.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { useDraft } from '../../ui/draft.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago } from '../../ui/figures.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { isPasswordLength } from './password-length.ts';
import { useMe, type Role } from '../../session/use-role.ts';

const usersQuery = queryOptions({ queryKey: ['users'], queryFn: () => dataOf(api.GET('/api/v1/auth/users')) });
const roles: readonly Role[] = ['ADMIN', 'EDITOR', 'VIEWER'];

/** The users and their roles. */
export function Users() {
  const { t } = useTranslation();
  const me = useMe();
  const queryClient = useQueryClient();
  const users = useQuery(usersQuery);
  const [editing, setEditing] = useState<User | 'new'>();
  const [deleting, setDeleting] = useState<User>();
  if (users.isError) return <ErrorPanel error={users.error} onRetry={() => void users.refetch()} />;
  const columns: Column<User>[] = [
    {
      key: 'name',
      header: t('settings.users.username'),
      cell: ({ username }) => (
        <Text size="sm" fw={600}>
          {username}{' '}
          {username === me.username && (
            <Text span c="dimmed" fw={400} size="sm">
              ({t('settings.users.you')})
            </Text>
          )}
        </Text>
      ),
    },
    { key: 'role', header: t('settings.users.role'), cell: ({ role }) => t(`common.account.roles.${role}`) },
    {
      key: 'created',
      header: t('settings.users.created'),
      cell: ({ createdAt }) => <Ago time={createdAt} />,
      from: 'sm',
    },
    {
      key: 'actions',
      header: '',
      align: 'right',
      cell: (user) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <Button size="compact-xs" variant="subtle" onClick={() => setEditing(user)}>
            {t('common.actions.edit')}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            disabled={user.username === me.username}
            onClick={() => setDeleting(user)}
          >
            {t('common.actions.delete')}
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('settings.users.lead')}
        </Text>
        <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>
          {t('settings.users.create')}
        </Button>
      </Group>
      <DataTable
        label={t('settings.tabs.users')}
        columns={columns}
        rows={users.data}
        idOf={({ id }) => id}
        expectedRows={3}
      />
      {editing !== undefined && (
        <UserDialog user={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
      <ConfirmDialog
        opened={deleting !== undefined}
        title={t('settings.users.deleteTitle', { name: deleting?.username ?? '' })}
        action={t('settings.users.deleteAction')}
        onClose={() => setDeleting(undefined)}
        onConfirm={async () => {
          if (deleting === undefined) return;
          await dataOf(api.DELETE('/api/v1/auth/users/{userId}', { params: { path: { userId: deleting.id } } }));
          await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey });
          notifyDone(t('settings.users.deleted', { name: deleting.username }));
        }}
      >
        {t('settings.users.deleteExplained')}
      </ConfirmDialog>
    </Stack>
  );
}

function UserDialog({ user, onClose }: { user: User | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const draft = useDraft<{ username: string; password: string; role: Role }>(
    { username: user?.username ?? '', password: '', role: user?.role ?? 'EDITOR' },
    {
      checks: {
        username: ({ username }) => (username.trim() === '' ? t('auth.signIn.required') : undefined),
        password: ({ password }) =>
          (user !== undefined && password === '') || isPasswordLength(password)
            ? undefined
            : t('settings.account.passwordLength'),
      },
    },
  );
  const save = useMutation({
    mutationFn: async ({ username, password, role }: typeof draft.values) => {
      if (user === undefined)
        return dataOf(api.POST('/api/v1/auth/users', { body: { username: username.trim(), password, role } }));
      const body = { username: username.trim(), role, ...(password === '' ? {} : { password }) };
      return dataOf(api.PUT('/api/v1/auth/users/{userId}', { params: { path: { userId: user.id } }, body }));
    },
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey });
      notifyDone(t('settings.users.saved', { name: saved.username }));
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={user === undefined ? t('settings.users.create') : t('settings.users.editTitle', { name: user.username })}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      <form onSubmit={draft.submit(save.mutate)}>
        <Stack gap="sm">
          <TextInput
            label={t('settings.users.username')}
            autoComplete="off"
            data-autofocus
            {...draft.text('username')}
          />
          <PasswordInput
            label={t('settings.users.password')}
            description={user === undefined ? t('settings.account.passwordLength') : t('settings.users.passwordKept')}
            autoComplete="new-password"
            {...draft.text('password')}
          />
          <Select
            label={t('settings.users.role')}
            description={t(`settings.account.roleMeans.${draft.values.role}`)}
            data={roles.map((role) => ({ value: role, label: t(`common.account.roles.${role}`) }))}
            allowDeselect={false}
            {...draft.choice('role')}
          />
          {save.isError && <ErrorPanel error={save.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.actions.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t('common.actions.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
