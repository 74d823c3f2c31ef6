import { Button } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop, IconPlayerTrackNext } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client.ts';
import type { CleaningTask } from '../../api/types.ts';
import { notifyError } from '../../ui/notify.ts';
import { useMayEdit } from '../auth/use-role.ts';
import { cleaningKeys } from './cleaning-queries.ts';

/** What can be done now: run, stop, go on where it ended. Starting leads to the run. */
export function RunActions({ taskId, status }: { taskId: string; status: CleaningTask['status'] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const path = { params: { path: { id: taskId } } };
  const execute = useMutation({
    mutationFn: (resume: boolean) =>
      dataOf(api.POST('/api/v1/data-cleaning/tasks/{id}/execute', { ...path, body: { resume } })),
    onSuccess: async ({ data: run }) => {
      await queryClient.invalidateQueries({ queryKey: cleaningKeys.tasks });
      await navigate({ to: '/cleaning/$taskId/runs/$runId', params: { taskId, runId: run.id } });
    },
    onError: notifyError,
  });
  const stop = useMutation({
    mutationFn: () => dataOf(api.POST('/api/v1/data-cleaning/tasks/{id}/stop', path)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: cleaningKeys.tasks }),
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
        {t('cleaning.run.stop')}
      </Button>
    );
  const canResume = status === 'STOPPED' || status === 'FAILED';
  return (
    <>
      {canResume && (
        <Button
          loading={execute.isPending && execute.variables}
          leftSection={<IconPlayerTrackNext size={16} />}
          onClick={() => execute.mutate(true)}
          title={t('cleaning.run.resumeHelp')}
        >
          {t('cleaning.run.resume')}
        </Button>
      )}
      <Button
        variant={canResume ? 'default' : 'filled'}
        loading={execute.isPending && !execute.variables}
        leftSection={<IconPlayerPlay size={16} />}
        onClick={() => execute.mutate(false)}
      >
        {status === 'PENDING' ? t('cleaning.run.start') : t('cleaning.run.again')}
      </Button>
    </>
  );
}
