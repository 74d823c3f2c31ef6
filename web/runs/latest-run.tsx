import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CleaningTask } from '../api/schema.ts';
import { useSay } from '../messages/sentences.ts';
import { Ago } from '../ui/figures.tsx';
import { CountsView } from './counts-view.tsx';
import { inputsOf, type RunArea } from './run-area.ts';
import { RunStatus } from './run-status.tsx';

/** What every task states about its latest run. */
export type RanTask = Pick<
  CleaningTask,
  | 'id'
  | 'name'
  | 'status'
  | 'progress'
  | 'counts'
  | 'startedAt'
  | 'finishedAt'
  | 'error'
  | 'errorCode'
  | 'errorParams'
  | 'lastRunId'
>;

/** The latest run of a task: its state, counts, why it failed, and a link to it. */
export function LatestRun({ area, task }: { area: RunArea; task: RanTask }) {
  const { t } = useTranslation();
  const say = useSay();
  if (task.lastRunId === null)
    return (
      <div className="panel">
        <Text size="sm" c="dimmed">
          {t('runs.neverRun')}
        </Text>
      </div>
    );
  return (
    <Stack gap="xs">
      <div className="panel">
        <Group justify="space-between">
          <Group gap="sm">
            <RunStatus status={task.status} counts={task.counts} area={area.prefix} />
            <Text size="sm" c="dimmed">
              <Ago time={task.finishedAt ?? task.startedAt} />
            </Text>
          </Group>
          <Button component={Link} to={`${area.path}/${task.id}/runs/${task.lastRunId}`} variant="light" size="xs">
            {t(task.status === 'RUNNING' ? 'runs.watch' : 'runs.open')}
          </Button>
        </Group>
        {task.status === 'RUNNING' && <Progress value={task.progress} animated mt="xs" aria-label={task.name} />}
        {task.error !== null && (
          <Text size="sm" c={task.status === 'STOPPED' ? 'orange' : 'red'} mt="xs" role="alert">
            {say(task, 'error')}
          </Text>
        )}
      </div>
      <CountsView counts={task.counts} inputs={inputsOf(area)} />
    </Stack>
  );
}
