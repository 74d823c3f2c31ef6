import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client.ts';
import type { CleaningTask } from '../../../api/schema.ts';
import { useMayEdit } from '../../../session/use-role.ts';
import { DataTable, type Column } from '../../../ui/data-table.tsx';
import { ErrorPanel, messageOf } from '../../../ui/error-panel.tsx';
import { notifyDone } from '../../../ui/notify.ts';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { operatorsKey, usingTasksQuery } from './market-queries.ts';

/** The tasks that use an operator, each with its versions; steps can be moved to `to`. */
export function UsingTasks({ operatorId, to }: { operatorId: string; to: string | undefined }) {
  const { t } = useTranslation();
  const mayEdit = useMayEdit();
  const tasks = useQuery(usingTasksQuery(operatorId));
  const move = useMoveSteps(operatorId, to);
  if (tasks.isError) return <ErrorPanel error={tasks.error} onRetry={() => void tasks.refetch()} />;
  const rows = tasks.data?.content;
  if (rows?.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('market.tasks.none')}
      </Text>
    );
  const movable = (task: CleaningTask): boolean =>
    to !== undefined && task.status !== 'RUNNING' && versionsIn(task, operatorId).some((version) => version !== to);
  const columns: Column<CleaningTask>[] = [
    {
      key: 'name',
      header: t('market.tasks.task'),
      cell: ({ id, name }) => (
        <div>
          <Link to="/cleaning/$taskId" params={{ taskId: id }} className="plain-link">
            <Text span size="sm" fw={600} className="wraps">
              {name}
            </Text>
          </Link>
          {move.problems.get(id) !== undefined && (
            <Text size="xs" c="red" role="alert">
              {move.problems.get(id)}
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'versions',
      header: t('market.tasks.versions'),
      width: 200,
      cell: (task) => (
        <Group gap={4}>
          {versionsIn(task, operatorId).map((version) => (
            <Badge key={version} variant="light" color="gray" className="status">
              {version}
            </Badge>
          ))}
          {task.missingOperators.some((missing) => missing.operatorId === operatorId) && (
            <Badge variant="light" color="red" leftSection={<IconAlertTriangle size={12} />} className="status">
              {t('market.tasks.missing')}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      key: 'status',
      header: t('market.tasks.status'),
      width: 130,
      from: 'sm',
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    ...(mayEdit && to !== undefined
      ? [
          {
            key: 'move',
            header: '',
            align: 'right' as const,
            cell: (task: CleaningTask) =>
              movable(task) && (
                <Button
                  size="compact-xs"
                  variant="light"
                  loading={move.isMoving(task.id)}
                  aria-label={t('market.tasks.moveOne', { name: task.name, version: to })}
                  onClick={() => move.start([task])}
                >
                  {t('market.tasks.move', { version: to })}
                </Button>
              ),
          },
        ]
      : []),
  ];
  const all = (rows ?? []).filter(movable);
  return (
    <Stack gap="xs">
      <DataTable label={t('market.tasks.title')} columns={columns} rows={rows} idOf={({ id }) => id} expectedRows={3} />
      {mayEdit && to !== undefined && all.length > 1 && (
        <Group>
          <Button size="xs" variant="light" onClick={() => move.start(all)}>
            {t('market.tasks.moveAll', { count: all.length, version: to })}
          </Button>
        </Group>
      )}
      {tasks.data !== undefined && tasks.data.totalElements > tasks.data.content.length && (
        <Text size="xs" c="dimmed">
          {t('market.tasks.more', { count: tasks.data.totalElements - tasks.data.content.length })}
        </Text>
      )}
    </Stack>
  );
}

/** The versions of an operator that the steps of a task name. */
export function versionsIn({ steps }: Pick<CleaningTask, 'steps'>, operatorId: string): string[] {
  return [...new Set(steps.filter((step) => step.operatorId === operatorId).map(({ version }) => version))];
}

type Moves = {
  start: (tasks: readonly CleaningTask[]) => void;
  isMoving: (taskId: string) => boolean;
  /** Why the service refused, by task. */
  problems: ReadonlyMap<string, string>;
};

function useMoveSteps(operatorId: string, to: string | undefined): Moves {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const move = useMutation({
    mutationFn: async (tasks: readonly CleaningTask[]) => {
      const refused = new Map<string, string>();
      for (const task of tasks) {
        try {
          await dataOf(
            api.PUT('/api/v1/data-cleaning/tasks/{id}', {
              params: { path: { id: task.id } },
              body: { steps: movedSteps(task, operatorId, to) },
            }),
          );
        } catch (error) {
          refused.set(task.id, messageOf(error, t));
        }
      }
      return refused;
    },
    onSuccess: async (refused, tasks) => {
      setProblems(refused);
      const count = tasks.length - refused.size;
      if (count > 0) notifyDone(t('market.tasks.moved', { count, version: to ?? '' }));
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['data-cleaning', 'tasks'] }),
        queryClient.invalidateQueries({ queryKey: operatorsKey }),
      ]);
    },
  });
  return {
    start: (tasks) => move.mutate(tasks),
    isMoving: (taskId) => move.isPending && move.variables.some(({ id }) => id === taskId),
    problems,
  };
}

/** Built-in steps have no digest and run in the service's own version. */
function movedSteps({ steps }: CleaningTask, operatorId: string, to: string | undefined) {
  return steps.map((step) => {
    const version = step.operatorId === operatorId ? to : step.digest === undefined ? undefined : step.version;
    return { operatorId: step.operatorId, params: step.params, ...(version === undefined ? {} : { version }) };
  });
}
