import { Button } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop, IconPlayerTrackNext } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/client.ts';
import type { CleaningTask } from '../api/schema.ts';
import { notifyError } from '../ui/notify.ts';
import { useMayEdit } from '../session/use-role.ts';
import type { RunArea } from './run-area.ts';
import { taskKeys } from './run-queries.ts';

/** The available actions: run, stop, resume. Starting opens the run; `cannotRun` says why it would be refused. */
export function RunActions(props: {
  area: RunArea;
  taskId: string;
  status: CleaningTask['status'];
  cannotRun?: string | undefined;
}) {
  const { area, taskId, status, cannotRun } = props;
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const path = { params: { path: { id: taskId } } };
  const execute = useMutation({
    mutationFn: (resume: boolean) =>
      dataOf(api.POST(`/api/v1/${area.prefix}/tasks/{id}/execute`, { ...path, body: { resume } })),
    onSuccess: async ({ data: run }) => {
      await queryClient.invalidateQueries({ queryKey: taskKeys.all(area) });
      await navigate({ to: `${area.path}/$taskId/runs/$runId`, params: { taskId, runId: run.id } });
    },
    onError: notifyError,
  });
  const stop = useMutation({
    mutationFn: () => dataOf(api.POST(`/api/v1/${area.prefix}/tasks/{id}/stop`, path)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: taskKeys.all(area) }),
    onError: notifyError,
  });
  if (!mayEdit) return null;
  if (status === 'RUNNING')
    return (
      <Button
        color="orange"
        variant="light"
        loading={stop.isPending}
        leftSection={<IconPlayerStop size={16} />}
        onClick={() => stop.mutate()}
      >
        {t('runs.stop')}
      </Button>
    );
  const canResume = status === 'STOPPED' || status === 'FAILED';
  return (
    <>
      {canResume && (
        <Button
          loading={execute.isPending && execute.variables}
          leftSection={<IconPlayerTrackNext size={16} />}
          disabled={cannotRun !== undefined}
          onClick={() => execute.mutate(true)}
          title={cannotRun ?? t('runs.resumeHelp')}
        >
          {t('runs.resume')}
        </Button>
      )}
      <Button
        variant={canResume ? 'default' : 'filled'}
        loading={execute.isPending && !execute.variables}
        leftSection={<IconPlayerPlay size={16} />}
        disabled={cannotRun !== undefined}
        title={cannotRun}
        onClick={() => execute.mutate(false)}
      >
        {status === 'PENDING' ? t('runs.start') : t('runs.again')}
      </Button>
    </>
  );
}
