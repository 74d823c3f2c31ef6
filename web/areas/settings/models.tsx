import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Model } from '../../api/schema.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { useMe } from '../../session/use-role.ts';
import { ModelDialog } from './model-dialog.tsx';
import { retentionQuery } from '../../runs/run-queries.ts';
import { modelsQuery } from './model-queries.ts';

/** The available models: built-in ones, and those set up by an administrator. */
export function Models() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isAdmin = useMe().role === 'ADMIN';
  const models = useQuery(modelsQuery);
  const { data: retention } = useQuery(retentionQuery);
  const [creating, setCreating] = useState(false);
  if (models.isError) return <ErrorPanel error={models.error} onRetry={() => void models.refetch()} />;
  const columns: Column<Model>[] = [
    {
      key: 'name',
      header: t('settings.models.name'),
      cell: ({ id, name, builtIn }) => (
        <Group gap="xs" wrap="nowrap">
          <Text size="sm" fw={600} className="wraps">
            <Link to="/settings/models/$modelId" params={{ modelId: id }}>
              {name}
            </Link>
          </Text>
          {builtIn && (
            <Badge variant="light" color="gray" className="status">
              {t('settings.models.builtIn')}
            </Badge>
          )}
        </Group>
      ),
    },
    { key: 'kind', header: t('settings.models.kind'), cell: ({ kind }) => t(`settings.models.kinds.${kind}`) },
    {
      key: 'model',
      header: t('settings.models.model'),
      cell: ({ model }) => <Code className="wraps">{model}</Code>,
      from: 'sm',
    },
    {
      key: 'where',
      header: t('settings.models.baseUrl'),
      cell: ({ baseUrl }) =>
        baseUrl === null ? (
          <Text size="sm" c="dimmed">
            {t('settings.models.here')}
          </Text>
        ) : (
          <Code className="wraps">{baseUrl}</Code>
        ),
      from: 'md',
    },
    {
      key: 'key',
      header: t('settings.models.apiKey'),
      cell: ({ hasSecret, baseUrl }) =>
        hasSecret ? t('settings.models.keyKept') : baseUrl === null ? '–' : t('settings.models.noKey'),
      from: 'sm',
    },
  ];
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('settings.models.lead')}
        </Text>
        {isAdmin && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
            {t('settings.models.create')}
          </Button>
        )}
      </Group>
      <DataTable
        label={t('settings.tabs.models')}
        columns={columns}
        rows={models.data}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/settings/models/$modelId', params: { modelId: id } })}
        expectedRows={3}
      />
      {retention !== undefined && (
        <Text size="xs" c="dimmed">
          {retention.modelReplyDays === null
            ? t('settings.models.repliesForGood')
            : t('settings.models.replyDays', { count: retention.modelReplyDays })}
        </Text>
      )}
      {creating && (
        <ModelDialog
          model={undefined}
          onClose={() => setCreating(false)}
          onSaved={({ id }) => void navigate({ to: '/settings/models/$modelId', params: { modelId: id } })}
        />
      )}
    </Stack>
  );
}
