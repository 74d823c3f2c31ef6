import { Button, List } from '@mantine/core';
import { IconReload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/client.ts';
import type { CleaningTask, Run } from '../api/schema.ts';
import { useMayEdit } from '../session/use-role.ts';
import { ConfirmDialog } from '../ui/confirm.tsx';
import { useLocale } from '../ui/figures.tsx';
import { formatCount } from '../ui/format.ts';
import type { RunArea } from './run-area.ts';
import { taskKeys } from './run-queries.ts';

/** Runs the task again on only the failed samples of a run, after saying what will happen. */
export function ReprocessFailed(props: {
  area: RunArea;
  run: Run;
  task: Pick<CleaningTask, 'status' | 'lastRunId'>;
  /** What will happen. */
  effects: readonly string[];
}) {
  const { area, run, task, effects } = props;
  const { t } = useTranslation();
  const locale = useLocale();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const [isOpen, setOpen] = useState(false);
  // A later run that did not complete has left the result of this run unchanged.
  const isCurrent = task.lastRunId === run.id || task.status === 'FAILED' || task.status === 'STOPPED';
  if (!mayEdit || !isCurrent) return null;
  const { taskId } = run;
  const { failed } = run.counts;
  const start = async (): Promise<void> => {
    const { data: started } = await dataOf(
      api.POST(`/api/v1/${area.prefix}/tasks/{id}/execute`, {
        params: { path: { id: taskId } },
        body: { failedOf: run.id },
      }),
    );
    await queryClient.invalidateQueries({ queryKey: taskKeys.all(area) });
    await navigate({ to: `${area.path}/$taskId/runs/$runId`, params: { taskId, runId: started.id } });
  };
  return (
    <>
      <Button size="xs" variant="default" leftSection={<IconReload size={14} />} onClick={() => setOpen(true)}>
        {t('runs.failures.again')}
      </Button>
      <ConfirmDialog
        opened={isOpen}
        color="soil"
        title={t('runs.reprocess.title', { count: failed, failed: formatCount(failed, locale) })}
        action={t('runs.reprocess.action')}
        onConfirm={start}
        onClose={() => setOpen(false)}
      >
        <List size="sm" spacing="xs">
          {effects.map((effect) => (
            <List.Item key={effect}>{effect}</List.Item>
          ))}
        </List>
      </ConfirmDialog>
    </>
  );
}
