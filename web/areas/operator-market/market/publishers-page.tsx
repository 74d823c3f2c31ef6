import { Alert, Anchor, Breadcrumbs, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { PublisherKey } from '../../../api/schema.ts';
import { useMe } from '../../../session/use-role.ts';
import { ConfirmDialog } from '../../../ui/confirm.tsx';
import { Copyable } from '../../../ui/copyable.tsx';
import { DataTable, type Column } from '../../../ui/data-table.tsx';
import { useDraft } from '../../../ui/draft.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Ago } from '../../../ui/figures.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { Page } from '../../../ui/page.tsx';
import { operatorsKey, publisherKeysQuery } from './market-queries.ts';

/** The keys whose signatures the market shows as verified; administrators add and delete them. */
export function PublishersPage() {
  const { t } = useTranslation();
  const isAdmin = useMe().role === 'ADMIN';
  const keys = useQuery(publisherKeysQuery);
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<PublisherKey>();
  const add = isAdmin && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t('market.publishers.add')}
    </Button>
  );
  const columns: Column<PublisherKey>[] = [
    {
      key: 'name',
      header: t('market.publishers.name'),
      cell: ({ name }) => (
        <Text size="sm" fw={600} className="wraps">
          {name}
        </Text>
      ),
    },
    {
      key: 'key',
      header: t('market.publishers.key'),
      from: 'sm',
      cell: ({ publicKey }) => <Copyable value={publicKey} label={`${bodyOf(publicKey).slice(0, 24)}…`} />,
    },
    {
      key: 'added',
      header: t('market.publishers.added'),
      width: 200,
      from: 'xs',
      cell: ({ createdAt, createdBy }) => (
        <>
          <Ago time={createdAt} /> · {createdBy}
        </>
      ),
    },
    ...(isAdmin
      ? [
          {
            key: 'delete',
            header: '',
            align: 'right' as const,
            width: 110,
            cell: (key: PublisherKey) => (
              <Button
                size="compact-xs"
                variant="subtle"
                color="red"
                aria-label={t('market.publishers.deleteTitle', { name: key.name })}
                onClick={() => setDeleting(key)}
              >
                {t('common.actions.delete')}
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <Page
      title={t('market.publishers.title')}
      lead={t('market.publishers.lead')}
      actions={add}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/market" size="sm">
            {t('market.title')}
          </Anchor>
          <span>{t('market.publishers.title')}</span>
        </Breadcrumbs>
      }
    >
      {!isAdmin && <Alert color="gray">{t('market.publishers.adminOnly')}</Alert>}
      {keys.isError ? (
        <ErrorPanel error={keys.error} onRetry={() => void keys.refetch()} />
      ) : keys.data?.length === 0 ? (
        <EmptyState
          icon={IconKey}
          title={t('market.publishers.empty')}
          lead={t('market.publishers.emptyLead')}
          action={add}
        />
      ) : (
        <DataTable
          label={t('market.publishers.title')}
          columns={columns}
          rows={keys.data}
          idOf={({ id }) => id}
          expectedRows={3}
        />
      )}
      {adding && <AddKeyDialog onClose={() => setAdding(false)} />}
      <DeleteKeyDialog publisherKey={deleting} onClose={() => setDeleting(undefined)} />
    </Page>
  );
}

function AddKeyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const draft = useDraft(
    { name: '', publicKey: '' },
    {
      checks: {
        name: ({ name }) => (name.trim() === '' ? t('common.form.problem.required') : undefined),
        publicKey: ({ publicKey }) => (/BEGIN PUBLIC KEY/.test(publicKey) ? undefined : t('market.publishers.notPem')),
      },
    },
  );
  const add = useMutation({
    mutationFn: ({ name, publicKey }: typeof draft.values) =>
      dataOf(
        api.POST('/api/v1/operator-market/publisher-keys', {
          body: { name: name.trim(), publicKey: `${publicKey.trim()}\n` },
        }),
      ),
    onSuccess: async (_data, { name }) => {
      await queryClient.invalidateQueries({ queryKey: publisherKeysQuery.queryKey });
      await queryClient.invalidateQueries({ queryKey: operatorsKey });
      notifyDone(t('market.publishers.done', { name: name.trim() }));
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('market.publishers.add')}
      closeButtonProps={{ 'aria-label': t('common.actions.close') }}
    >
      <form onSubmit={draft.submit(add.mutate)}>
        <Stack gap="sm">
          <TextInput
            label={t('market.publishers.name')}
            description={t('market.publishers.nameHelp')}
            maxLength={100}
            data-autofocus
            {...draft.text('name')}
          />
          <Textarea
            label={t('market.publishers.key')}
            description={t('market.publishers.keyHelp')}
            placeholder={'-----BEGIN PUBLIC KEY-----\n…\n-----END PUBLIC KEY-----'}
            autosize
            minRows={4}
            maxLength={1000}
            className="code-input"
            {...draft.text('publicKey')}
          />
          {add.isError && <ErrorPanel error={add.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('common.actions.cancel')}
            </Button>
            <Button type="submit" loading={add.isPending}>
              {t('market.publishers.add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function DeleteKeyDialog({ publisherKey, onClose }: { publisherKey: PublisherKey | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const name = publisherKey?.name ?? '';
  return (
    <ConfirmDialog
      opened={publisherKey !== undefined}
      title={t('market.publishers.deleteTitle', { name })}
      action={t('market.publishers.deleteAction')}
      onClose={onClose}
      onConfirm={async () => {
        if (publisherKey === undefined) return;
        const params = { path: { keyId: publisherKey.id } };
        await dataOf(api.DELETE('/api/v1/operator-market/publisher-keys/{keyId}', { params }));
        await queryClient.invalidateQueries({ queryKey: publisherKeysQuery.queryKey });
        await queryClient.invalidateQueries({ queryKey: operatorsKey });
        notifyDone(t('market.publishers.deleted', { name }));
      }}
    >
      {t('market.publishers.deleteMeans')}
    </ConfirmDialog>
  );
}

/** The key itself, without the lines around it. */
function bodyOf(pem: string): string {
  return pem.replaceAll(/-----[^-]+-----|\s/g, '');
}
