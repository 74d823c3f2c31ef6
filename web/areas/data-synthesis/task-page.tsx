import { ActionIcon, Anchor, Breadcrumbs, Menu, SimpleGrid, Skeleton, Title } from '@mantine/core';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { SynthesisTask } from '../../api/schema.ts';
import { LatestRun } from '../../runs/latest-run.tsx';
import { RunActions } from '../../runs/run-actions.tsx';
import { RunList } from '../../runs/run-list.tsx';
import { taskKeys } from '../../runs/run-queries.ts';
import { TaskSchedule } from '../../runs/task-schedule.tsx';
import { useMayEdit } from '../../session/use-role.ts';
import { ConfirmDialog } from '../../ui/confirm.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Count, useCost, useLocale } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { notifyDone } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { templateNameOf } from './built-in-texts.ts';
import { ExportPanel } from './export-panel.tsx';
import { ForecastPanel } from './forecast-panel.tsx';
import { synthesis } from './synthesis-area.ts';
import { synthesisKeys, taskQuery } from './synthesis-queries.ts';
import { useChatModels } from './use-chat-models.ts';

const route = getRouteApi('/shell/synthesis/$taskId');

/** One task: what a run will take, the latest run, what it is made of, all runs, its export. */
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
          <Anchor component={Link} to="/synthesis" size="sm">
            {t('synthesis.title')}
          </Anchor>
          <span>{task?.name ?? '…'}</span>
        </Breadcrumbs>
      }
      actions={
        task !== undefined && (
          <>
            <RunActions area={synthesis} taskId={taskId} status={task.status} />
            <TaskMenu task={task} />
          </>
        )
      }
    >
      {task === undefined ? (
        <Skeleton height={240} />
      ) : (
        <>
          {task.lastRunId !== null && <LatestRun area={synthesis} task={task} />}
          {task.status !== 'RUNNING' && <ForecastPanel task={task} />}
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Recipe task={task} />
            <Result task={task} />
          </SimpleGrid>
          <TaskSchedule area={synthesis} task={task} />
          <RunList area={synthesis} taskId={taskId} />
          {task.lastRunId !== null && <ExportPanel task={task} />}
        </>
      )}
    </Page>
  );
}

function TaskMenu({ task }: { task: SynthesisTask }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const [isAsked, setAsked] = useState(false);
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
            onClick={() => void navigate({ to: '/synthesis/$taskId/edit', params: { taskId: task.id } })}
          >
            {t('common.actions.edit')}
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={15} />}
            disabled={isRunning}
            onClick={() => setAsked(true)}
          >
            {t('common.actions.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={isAsked}
        title={t('synthesis.task.deleteTitle', { name: task.name })}
        action={t('synthesis.task.deleteAction')}
        onClose={() => setAsked(false)}
        onConfirm={async () => {
          await dataOf(api.DELETE('/api/v1/data-synthesis/tasks/{id}', { params: { path: { id: task.id } } }));
          notifyDone(t('synthesis.task.deleted', { name: task.name }));
          await navigate({ to: '/synthesis' });
          queryClient.removeQueries({ queryKey: taskKeys.one(synthesis, task.id) });
          await queryClient.invalidateQueries({ queryKey: synthesisKeys.tasks });
        }}
      >
        {t('synthesis.task.deleteExplained')}
      </ConfirmDialog>
    </>
  );
}

function Facts({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel" aria-label={title}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      <dl className="facts-list">{children}</dl>
    </section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd className="wraps">{children}</dd>
    </>
  );
}

function Recipe({ task }: { task: SynthesisTask }) {
  const { t } = useTranslation();
  const models = useChatModels();
  const { prefix, fileTypes, textField } = task.input;
  const only = [prefix, ...fileTypes.map((type) => `.${type}`), textField ?? ''].filter((part) => part !== '');
  return (
    <Facts title={t('synthesis.task.recipe')}>
      <Fact label={t('synthesis.form.dataset')}>
        <Link to="/datasets/$datasetId" params={{ datasetId: task.sourceDatasetId }}>
          {task.sourceDatasetName}
        </Link>
        {task.sourceVersion !== null && ` · ${t('runs.outputs.version', { version: task.sourceVersion })}`}
      </Fact>
      {only.length > 0 && <Fact label={t('synthesis.task.only')}>{only.join(' · ')}</Fact>}
      <Fact label={t('synthesis.form.template')}>
        <Link
          to="/synthesis/templates/$templateId"
          params={{ templateId: task.templateId }}
          search={{ version: task.templateVersion, dataset: task.sourceDatasetId }}
        >
          {templateNameOf({ id: task.templateId, name: task.templateName }, t)} ·{' '}
          {t('runs.outputs.version', { version: task.templateVersion })}
        </Link>
      </Fact>
      {Object.entries(task.variables).map(([name, value]) => (
        <Fact key={name} label={name}>
          {value}
        </Fact>
      ))}
      <Fact label={t('synthesis.form.model')}>
        <Link to="/settings/models/$modelId" params={{ modelId: task.model }}>
          {models.data?.find(({ id }) => id === task.model)?.name ?? task.model}
        </Link>
      </Fact>
      <Fact label={t('synthesis.form.perSample')}>
        <Count value={task.perSample} />
      </Fact>
      {task.maxSamples !== null && (
        <Fact label={t('synthesis.form.maxSamples')}>
          <Count value={task.maxSamples} />
        </Fact>
      )}
      {task.judge !== null && (
        <Fact label={t('synthesis.form.judge')}>
          {t('synthesis.form.minScore')}: {task.judge.minScore}
        </Fact>
      )}
    </Facts>
  );
}

function Result({ task }: { task: SynthesisTask }) {
  const { t } = useTranslation();
  const locale = useLocale();
  const cost = useCost();
  const { maxCalls, maxTokens, maxCost } = task.budget;
  const caps = [
    ...(maxCalls === undefined ? [] : [`${t('synthesis.budget.maxCalls')}: ${formatCount(maxCalls, locale)}`]),
    ...(maxTokens === undefined ? [] : [`${t('synthesis.budget.maxTokens')}: ${formatCount(maxTokens, locale)}`]),
    ...(maxCost === undefined ? [] : [`${t('synthesis.budget.maxCost')}: ${cost(maxCost)}`]),
  ];
  return (
    <Facts title={t('synthesis.form.result')}>
      <Fact label={t('synthesis.form.targetDataset')}>
        {task.targetDatasetId === null ? (
          `${task.targetDatasetName} (${t('synthesis.task.madeByRun')})`
        ) : (
          <Link to="/datasets/$datasetId" params={{ datasetId: task.targetDatasetId }}>
            {task.targetDatasetName}
          </Link>
        )}
      </Fact>
      <Fact label={t('synthesis.form.format')}>{task.format}</Fact>
      <Fact label={t('synthesis.form.provenance')}>{t(task.provenance ? 'common.form.on' : 'common.form.off')}</Fact>
      <Fact label={t('synthesis.form.budget')}>{caps.length === 0 ? t('common.form.noLimit') : caps.join(' · ')}</Fact>
    </Facts>
  );
}
