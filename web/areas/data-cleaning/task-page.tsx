import {
  Alert,
  Anchor,
  Badge,
  Breadcrumbs,
  Menu,
  ActionIcon,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { IconCopy, IconDots, IconPencil, IconTrash, IconUnlink } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { CleaningTask } from '../../api/schema.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { valueText } from '../../ui/field-value.ts';
import { Ago } from '../../ui/figures.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { fieldsOf } from '../../ui/schema-fields.ts';
import { useModelNames } from '../settings/model-field.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { LatestRun } from '../../runs/latest-run.tsx';
import { RunActions } from '../../runs/run-actions.tsx';
import { RunList } from '../../runs/run-list.tsx';
import { taskKeys } from '../../runs/run-queries.ts';
import { TaskSchedule } from '../../runs/task-schedule.tsx';
import { operatorOf } from './drafts/draft.ts';
import { useStepOperators } from './builder/use-step-operators.ts';
import { cleaning, cleaningKeys, taskQuery } from './cleaning-queries.ts';
import { StoredParams } from './stored-params.tsx';
import { useOperators } from './use-operators.ts';

const outputLabels = {
  SOURCE: 'cleaning.builder.outputFormats.SOURCE',
  PARQUET: 'cleaning.builder.outputFormats.PARQUET',
  JSONL: 'cleaning.builder.outputFormats.JSONL',
  JSONL_ZST: 'cleaning.builder.outputFormats.JSONL_ZST',
} as const;

const onErrorLabels = {
  SET_ASIDE: 'cleaning.builder.setAside',
  KEEP: 'cleaning.builder.keep',
  DROP: 'cleaning.builder.drop',
} as const;

const route = getRouteApi('/shell/cleaning/$taskId');

/** One task: definition, latest run, all runs. */
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
          <Anchor component={Link} to="/cleaning" size="sm">
            {t('cleaning.title')}
          </Anchor>
          <span>{task?.name ?? '…'}</span>
        </Breadcrumbs>
      }
      actions={
        task !== undefined && (
          <>
            <RunActions
              area={cleaning}
              taskId={taskId}
              status={task.status}
              cannotRun={task.missingOperators.length > 0 ? t('cleaning.task.missing.title') : undefined}
            />
            <TaskMenu task={task} />
          </>
        )
      }
    >
      {task === undefined ? (
        <Skeleton height={240} />
      ) : (
        <>
          <MissingOperators missing={task.missingOperators} />
          <LatestRun area={cleaning} task={task} />
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Definition task={task} />
            <Steps task={task} />
          </SimpleGrid>
          <TaskSchedule area={cleaning} task={task} />
          <RunList area={cleaning} taskId={taskId} />
        </>
      )}
    </Page>
  );
}

/** Steps whose published operator is gone, and where it can be had again. */
function MissingOperators({ missing }: { missing: CleaningTask['missingOperators'] }) {
  const { t } = useTranslation();
  if (missing.length === 0) return null;
  return (
    <Alert role="alert" color="orange" icon={<IconUnlink size={18} />} title={t('cleaning.task.missing.title')}>
      <Text size="sm">{t('cleaning.task.missing.lead')}</Text>
      <ul className="plain-list">
        {missing.map(({ step, operatorId, version }) => (
          <li key={step}>
            {t('cleaning.task.missing.step', { number: step + 1, operator: operatorId, version })}{' '}
            <Link to="/market/operators/$operatorId" params={{ operatorId }}>
              {t('cleaning.task.missing.toMarket')}
            </Link>
          </li>
        ))}
      </ul>
    </Alert>
  );
}

function TaskMenu({ task }: { task: CleaningTask }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const [deleting, setDeleting] = useState(false);
  const isRunning = task.status === 'RUNNING';
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
            onClick={() => void navigate({ to: '/cleaning/$taskId/edit', params: { taskId: task.id } })}
          >
            {t('common.actions.edit')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconCopy size={15} />}
            onClick={() => void navigate({ to: '/cleaning/new', search: { from: task.id } })}
          >
            {t('cleaning.task.copy')}
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={15} />}
            disabled={isRunning}
            onClick={() => setDeleting(true)}
          >
            {t('common.actions.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={deleting}
        title={t('cleaning.task.deleteTitle', { name: task.name })}
        action={t('cleaning.task.deleteAction')}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await dataOf(api.DELETE('/api/v1/data-cleaning/tasks/{id}', { params: { path: { id: task.id } } }));
          notifyDone(t('cleaning.task.deleted', { name: task.name }));
          await navigate({ to: '/cleaning' });
          queryClient.removeQueries({ queryKey: taskKeys.one(cleaning, task.id) });
          await queryClient.invalidateQueries({ queryKey: cleaningKeys.tasks });
        }}
      >
        {t('cleaning.task.deleteExplained')}
      </ConfirmDialog>
    </>
  );
}

function Definition({ task }: { task: CleaningTask }) {
  const { t } = useTranslation();
  return (
    <section className="panel" aria-label={t('cleaning.task.definition')}>
      <Title order={2} size="h5" mb="xs">
        {t('cleaning.task.definition')}
      </Title>
      <dl className="facts-list">
        <dt>{t('cleaning.builder.source')}</dt>
        <dd>
          <Link to="/datasets/$datasetId" params={{ datasetId: task.sourceDatasetId }}>
            {task.sourceDatasetName}
          </Link>{' '}
          <Text span size="xs" c="dimmed">
            {task.sourceVersion === null
              ? t('cleaning.task.currentVersion')
              : t('datasets.detail.version', { version: task.sourceVersion })}
          </Text>
        </dd>
        {task.moreSources.length > 0 && (
          <>
            <dt>{t('cleaning.source.others.title')}</dt>
            <dd>
              {task.moreSources.map(({ datasetId, datasetName, version, folder, prefix }) => (
                <div key={datasetId}>
                  <Link to="/datasets/$datasetId" params={{ datasetId }}>
                    {datasetName}
                  </Link>{' '}
                  <Text span size="xs" c="dimmed">
                    {version === null ? t('cleaning.task.currentVersion') : t('datasets.detail.version', { version })}
                    {prefix === '' ? '' : ` · ${prefix}`} → {folder}/
                  </Text>
                </div>
              ))}
            </dd>
          </>
        )}
        <dt>{t('cleaning.builder.target')}</dt>
        <dd>
          {task.targetDatasetId === null ? (
            <>
              {task.targetDatasetName}{' '}
              <Text span size="xs" c="dimmed">
                {t('cleaning.task.madeByRun')}
              </Text>
            </>
          ) : (
            <Link to="/datasets/$datasetId" params={{ datasetId: task.targetDatasetId }}>
              {task.targetDatasetName}
            </Link>
          )}
        </dd>
        {task.input.prefix !== '' && (
          <>
            <dt>{t('cleaning.builder.prefix')}</dt>
            <dd>{task.input.prefix}</dd>
          </>
        )}
        {task.input.fileTypes.length > 0 && (
          <>
            <dt>{t('cleaning.builder.fileTypes')}</dt>
            <dd>{task.input.fileTypes.join(', ')}</dd>
          </>
        )}
        <dt>{t('cleaning.builder.textField')}</dt>
        <dd>{task.input.textField ?? t('cleaning.task.foundByItself')}</dd>
        <dt>{t('cleaning.builder.output')}</dt>
        <dd>
          {t(outputLabels[task.output.format])}
          {task.output.folderBy !== null && ` · ${t('cleaning.builder.folderBy')}: ${task.output.folderBy}`}
        </dd>
        <dt>{t('cleaning.builder.onError')}</dt>
        <dd>{t(onErrorLabels[task.onError])}</dd>
        <dt>{t('datasets.overview.created')}</dt>
        <dd>
          <Ago time={task.createdAt} /> {t('datasets.detail.by', { name: task.createdBy })}
        </dd>
      </dl>
    </section>
  );
}

function Steps({ task }: { task: CleaningTask }) {
  const { t, i18n } = useTranslation();
  const installed = useOperators();
  const operators = useStepOperators(
    installed.data ?? [],
    task.steps.map(({ operatorId, version, digest }) => ({
      operatorId,
      ...(digest === undefined ? {} : { version }),
    })),
  );
  const modelName = useModelNames();
  return (
    <section className="panel" aria-label={t('cleaning.steps.title')}>
      <Title order={2} size="h5" mb="xs">
        {t('cleaning.steps.title')}
      </Title>
      <Stack gap="xs" component="ol" className="numbered">
        {task.steps.map(({ operatorId, version, digest, params }, index) => {
          const operator = operatorOf({ operatorId, ...(digest === undefined ? {} : { version }) }, operators);
          return (
            <li key={index}>
              <Text size="sm" fw={600} title={`${operatorId} ${version}`}>
                <span data-verbatim={operator === undefined || undefined}>{operator?.name ?? operatorId}</span>{' '}
                {task.missingOperators.some(({ step }) => step === index) && (
                  <Badge size="xs" color="orange" variant="light" className="status">
                    {t('cleaning.steps.unknown')}
                  </Badge>
                )}{' '}
                {digest !== undefined && (
                  <Text span size="xs" c="dimmed">
                    {version}
                  </Text>
                )}
              </Text>
              {operator === undefined ? (
                <StoredParams params={params} />
              ) : (
                <Text size="xs" c="dimmed">
                  {fieldsOf(operator.paramsSchema)
                    .map((field) => {
                      const text = valueText(field, params[field.name], t, i18n.language);
                      return `${field.label}: ${field.kind === 'model' ? modelName(text) : text}`;
                    })
                    .join(' · ')}
                </Text>
              )}
            </li>
          );
        })}
      </Stack>
    </section>
  );
}
