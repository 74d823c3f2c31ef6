import { Alert, Badge, Button, Code, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { ApiKey } from '../../api/schema.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { useDraft } from '../../ui/draft.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Ago, useNow } from '../../ui/figures.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { useMe, type Role } from '../../session/use-role.ts';
import { addressOf } from '../../api/path-prefix.ts';

const keysQuery = queryOptions({ queryKey: ['api-keys'], queryFn: () => dataOf(api.GET('/api/v1/auth/api-keys')) });
const roles: readonly Role[] = ['VIEWER', 'EDITOR', 'ADMIN'];
const lifetimes = ['30', '90', '365', ''] as const;

/** The user's API keys: create, show once, delete. */
export function ApiKeys() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const keys = useQuery(keysQuery);
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ApiKey>();
  if (keys.isError) return <ErrorPanel error={keys.error} onRetry={() => void keys.refetch()} />;
  const columns: Column<ApiKey>[] = [
    {
      key: 'name',
      header: t('settings.keys.name'),
      cell: ({ name }) => (
        <Text size="sm" fw={600} className="wraps">
          {name}
        </Text>
      ),
    },
    { key: 'prefix', header: t('settings.keys.prefix'), cell: ({ prefix }) => <Code>{prefix}…</Code>, from: 'sm' },
    {
      key: 'role',
      header: t('settings.keys.role'),
      cell: ({ role }) => (role === null ? t('settings.keys.ownRole') : t(`common.account.roles.${role}`)),
    },
    {
      key: 'created',
      header: t('settings.keys.created'),
      cell: ({ createdAt }) => <Ago time={createdAt} />,
      from: 'sm',
    },
    { key: 'expires', header: t('settings.keys.expires'), cell: ({ expiresAt }) => <Expiry time={expiresAt} /> },
    {
      key: 'delete',
      header: '',
      align: 'right',
      cell: (key) => (
        <Button size="compact-xs" variant="subtle" color="red" onClick={() => setDeleting(key)}>
          {t('common.actions.delete')}
        </Button>
      ),
    },
  ];
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('settings.keys.lead')}
        </Text>
        <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
          {t('settings.keys.create')}
        </Button>
      </Group>
      {keys.data?.length === 0 ? (
        <EmptyState
          icon={IconKey}
          title={t('settings.keys.emptyTitle')}
          lead={t('settings.keys.emptyLead')}
          action={<Button onClick={() => setCreating(true)}>{t('settings.keys.create')}</Button>}
        />
      ) : (
        <DataTable
          label={t('settings.tabs.api-keys')}
          columns={columns}
          rows={keys.data}
          idOf={({ id }) => id}
          expectedRows={3}
        />
      )}
      {creating && <CreateKeyDialog onClose={() => setCreating(false)} />}
      <ConfirmDialog
        opened={deleting !== undefined}
        title={t('settings.keys.deleteTitle', { name: deleting?.name ?? '' })}
        action={t('settings.keys.deleteAction')}
        onClose={() => setDeleting(undefined)}
        onConfirm={async () => {
          if (deleting === undefined) return;
          await dataOf(api.DELETE('/api/v1/auth/api-keys/{keyId}', { params: { path: { keyId: deleting.id } } }));
          await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
          notifyDone(t('settings.keys.deleted', { name: deleting.name }));
        }}
      >
        {t('settings.keys.deleteExplained')}
      </ConfirmDialog>
    </Stack>
  );
}

function Expiry({ time }: { time: string | null }) {
  const { t } = useTranslation();
  const now = useNow(60_000);
  if (time === null) return t('settings.keys.neverExpires');
  if (new Date(time) < now)
    return (
      <Badge color="red" variant="light" className="status">
        {t('settings.keys.expired')}
      </Badge>
    );
  return <Ago time={time} />;
}

function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const me = useMe();
  const queryClient = useQueryClient();
  const draft = useDraft(
    { name: '', role: me.role, days: '90' },
    { checks: { name: ({ name }) => (name.trim() === '' ? t('auth.signIn.required') : undefined) } },
  );
  const create = useMutation({
    mutationFn: ({ name, role, days }: typeof draft.values) =>
      dataOf(
        api.POST('/api/v1/auth/api-keys', {
          body: {
            name: name.trim(),
            role,
            ...(days === '' ? {} : { expiresAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }),
          },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  const close = { 'aria-label': t('common.actions.close') };
  if (create.data !== undefined) {
    const { key } = create.data;
    return (
      <Modal
        opened
        onClose={onClose}
        size="lg"
        title={t('settings.keys.madeTitle')}
        closeButtonProps={close}
        closeOnClickOutside={false}
      >
        <Stack gap="sm">
          <Alert color="orange">{t('settings.keys.shownOnce')}</Alert>
          <Copyable value={key} clip={false} />
          <Text size="sm">{t('settings.keys.tryIt')}</Text>
          <Copyable
            value={`curl -H "X-API-Key: ${key}" ${location.origin}${addressOf('/api/v1/data-management/datasets')}`}
            clip={false}
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('settings.keys.stored')}</Button>
          </Group>
        </Stack>
      </Modal>
    );
  }
  return (
    <Modal opened onClose={onClose} title={t('settings.keys.create')} closeButtonProps={close}>
      <form onSubmit={draft.submit(create.mutate)}>
        <Stack gap="sm">
          <TextInput
            label={t('settings.keys.name')}
            description={t('settings.keys.nameHelp')}
            data-autofocus
            {...draft.text('name')}
          />
          <Select
            label={t('settings.keys.role')}
            description={t('settings.keys.roleHelp')}
            data={roles
              .slice(0, roles.indexOf(me.role) + 1)
              .map((role) => ({ value: role, label: t(`common.account.roles.${role}`) }))}
            allowDeselect={false}
            {...draft.choice('role')}
          />
          <Select
            label={t('settings.keys.expires')}
            data={lifetimes.map((days) => ({
              value: days,
              label: days === '' ? t('settings.keys.neverExpires') : t('settings.keys.days', { count: Number(days) }),
            }))}
            allowDeselect={false}
            {...draft.choice('days')}
          />
          {create.isError && <ErrorPanel error={create.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.actions.cancel')}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t('common.actions.create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
