import { ActionIcon, Anchor, Breadcrumbs, Menu, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconDots, IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { CollectionState, CollectionTask } from '../../api/schema.ts';
import { LatestRun } from '../../runs/latest-run.tsx';
import { RunActions } from '../../runs/run-actions.tsx';
import { RunList } from '../../runs/run-list.tsx';
import { taskKeys } from '../../runs/run-queries.ts';
import { TaskSchedule } from '../../runs/task-schedule.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { valueText } from '../../ui/field-value.ts';
import { Ago, Bytes } from '../../ui/figures.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { fieldsOf } from '../../ui/schema-fields.ts';
import { collection, collectionKeys, stateQuery, taskQuery } from './collection-queries.ts';
import { useConnectors } from './use-connectors.ts';

const route = getRouteApi('/shell/collection/$taskId');

/** One task: its source and target, latest run, what it has fetched so far, all runs. */
export function TaskPage() {
  const { t } = useTranslation();
  const { taskId } = route.useParams();
  const query = useQuery(taskQuery(taskId));
  if (query.isError) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  const task = query.data;
  return (
    <Page
      title={task?.name}
      lead={task?.description}
      breadcrumbs={
        <Breadcrumbs fz="sm">
          <Anchor component={Link} to="/collection" size="sm">
            {t('collection.title')}
          </Anchor>
          <span>{task?.name ?? '…'}</span>
        </Breadcrumbs>
      }
      actions={
        task !== undefined && (
          <>
            <RunActions area={collection} taskId={taskId} status={task.status} />
            <TaskMenu task={task} />
          </>
        )
      }
    >
      {task === undefined ? (
        <Skeleton height={240} />
      ) : (
        <>
          <LatestRun area={collection} task={task} />
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Source task={task} />
            <Target task={task} />
          </SimpleGrid>
          <TaskSchedule area={collection} task={task} />
          <RunList area={collection} taskId={taskId} />
          <Fetched taskId={taskId} />
        </>
      )}
    </Page>
  );
}

function TaskMenu({ task }: { task: CollectionTask }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const [asked, setAsked] = useState<'delete' | 'fromStart'>();
  const isRunning = task.status === 'RUNNING';
  const path = { params: { path: { id: task.id } } };
  if (!mayEdit) return null;
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={t('common.actions.more')}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconPencil size={15} />}
            disabled={isRunning}
            onClick={() => void navigate({ to: '/collection/$taskId/edit', params: { taskId: task.id } })}
          >
            {t('common.actions.edit')}
          </Menu.Item>
          <Menu.Item leftSection={<IconRefresh size={15} />} disabled={isRunning} onClick={() => setAsked('fromStart')}>
            {t('collection.task.fromStart')}
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={15} />}
            disabled={isRunning}
            onClick={() => setAsked('delete')}
          >
            {t('common.actions.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={asked === 'fromStart'}
        title={t('collection.task.fromStart')}
        action={t('collection.task.fromStartAction')}
        onClose={() => setAsked(undefined)}
        onConfirm={async () => {
          const { data: run } = await dataOf(
            api.POST('/api/v1/data-collection/tasks/{id}/execute', { ...path, body: { fromStart: true } }),
          );
          await queryClient.invalidateQueries({ queryKey: collectionKeys.tasks });
          await navigate({ to: '/collection/$taskId/runs/$runId', params: { taskId: task.id, runId: run.id } });
        }}
      >
        {t('collection.task.fromStartExplained')}
      </ConfirmDialog>
      <ConfirmDialog
        opened={asked === 'delete'}
        title={t('collection.task.deleteTitle', { name: task.name })}
        action={t('collection.task.deleteAction')}
        onClose={() => setAsked(undefined)}
        onConfirm={async () => {
          await dataOf(api.DELETE('/api/v1/data-collection/tasks/{id}', path));
          notifyDone(t('collection.task.deleted', { name: task.name }));
          await navigate({ to: '/collection' });
          queryClient.removeQueries({ queryKey: taskKeys.one(collection, task.id) });
          await queryClient.invalidateQueries({ queryKey: collectionKeys.tasks });
        }}
      >
        {t('collection.task.deleteExplained')}
      </ConfirmDialog>
    </>
  );
}

function Source({ task }: { task: CollectionTask }) {
  const { t, i18n } = useTranslation();
  const connectors = useConnectors();
  const connector = connectors.data?.find(({ type }) => type === task.connector.type);
  const { config, storedSecrets } = task.connector;
  const shown = fieldsOf(connector?.configSchema).filter(
    ({ name }) => storedSecrets.includes(name) || (config[name] !== undefined && config[name] !== null),
  );
  return (
    <section className="panel" aria-label={t('collection.form.source')}>
      <Title order={2} size="h5" mb="xs">
        {t('collection.form.source')}
      </Title>
      <dl className="facts-list">
        <dt>{t('collection.task.connector')}</dt>
        <dd>{connector?.name ?? task.connector.type}</dd>
        {shown.map((field) => (
          <Fact key={field.name} label={field.label}>
            {storedSecrets.includes(field.name)
              ? t('collection.task.secret')
              : field.name === 'port'
                ? String(config[field.name])
                : valueText(field, config[field.name], t, i18n.language)}
          </Fact>
        ))}
      </dl>
    </section>
  );
}

function Fact({ label, children }: { label: string; children: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd className="wraps">{children}</dd>
    </>
  );
}

function Target({ task }: { task: CollectionTask }) {
  const { t } = useTranslation();
  return (
    <section className="panel" aria-label={t('collection.form.target')}>
      <Title order={2} size="h5" mb="xs">
        {t('collection.form.target')}
      </Title>
      <dl className="facts-list">
        <dt>{t('collection.form.dataset')}</dt>
        <dd>
          {task.targetDatasetId === null ? (
            <>
              {task.targetDatasetName}{' '}
              <Text span size="xs" c="dimmed">
                {t('collection.task.madeByRun')}
              </Text>
            </>
          ) : (
            <Link to="/datasets/$datasetId" params={{ datasetId: task.targetDatasetId }}>
              {task.targetDatasetName}
            </Link>
          )}
        </dd>
        {task.prefix !== '' && <Fact label={t('collection.form.prefix')}>{task.prefix}</Fact>}
        <Fact label={t('collection.form.onConflict')}>{t(`collection.conflict.${task.onConflict}`)}</Fact>
        <Fact label={t('collection.form.how')}>
          {t(task.incremental ? 'collection.task.onlyChanges' : 'collection.task.everything')}
        </Fact>
      </dl>
    </section>
  );
}

/** What later runs compare with the source; nothing while there is none. */
function Fetched({ taskId }: { taskId: string }) {
  const { t } = useTranslation();
  const [at, setAt] = useState({ page: 0, size: 20 });
  const state = useQuery(stateQuery(taskId, at));
  const columns: Column<CollectionState>[] = [
    {
      key: 'name',
      header: t('collection.item.name'),
      cell: ({ name }) => (
        <Text size="sm" className="wraps">
          {name}
        </Text>
      ),
    },
    {
      key: 'path',
      header: t('collection.item.path'),
      from: 'sm',
      cell: ({ path }) => (
        <Text size="sm" className="wraps">
          {path}
        </Text>
      ),
    },
    {
      key: 'size',
      header: t('collection.item.size'),
      align: 'right',
      width: 100,
      from: 'md',
      cell: ({ sizeBytes }) => <Bytes value={sizeBytes} />,
    },
    {
      key: 'fetchedAt',
      header: t('collection.item.fetchedAt'),
      width: 140,
      from: 'md',
      cell: ({ fetchedAt }) => <Ago time={fetchedAt} />,
    },
  ];
  if (state.isError) return <ErrorPanel error={state.error} onRetry={() => void state.refetch()} />;
  if (state.data?.totalElements === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {t('collection.task.fetched')}
      </Title>
      <DataTable
        label={t('collection.task.fetched')}
        columns={columns}
        rows={state.data?.content}
        idOf={({ name, path }) => `${name} ${path}`}
        expectedRows={2}
      />
      {state.data !== undefined && state.data.totalPages > 1 && <Pager {...state.data} onChange={setAt} />}
    </Stack>
  );
}
