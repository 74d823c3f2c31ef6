import { Button, Code, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { IconCalendarClock } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/client.ts';
import type { Schedule } from '../api/schema.ts';
import { useSay } from '../messages/sentences.ts';
import { useMayEdit } from '../session/use-role.ts';
import { useDraft } from '../ui/draft.ts';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { Ago } from '../ui/figures.tsx';
import type { RunArea } from './run-area.ts';
import { taskKeys } from './run-queries.ts';
import { ScheduleFields, type ScheduleValue } from './schedule-fields.tsx';
import { useScheduleInWords } from './schedule-in-words.ts';

type ScheduledTask = { id: string; status: string; schedule: Schedule | null };

/** The schedule of a task, with a form to change it. */
export function TaskSchedule({ area, task }: { area: RunArea; task: ScheduledTask }) {
  const { t } = useTranslation();
  const say = useSay();
  const mayEdit = useMayEdit();
  const [editing, setEditing] = useState(false);
  const inWords = useScheduleInWords();
  const { schedule } = task;
  return (
    <section className="panel" aria-label={t('runs.schedule.title')}>
      <Group justify="space-between">
        <Title order={2} size="h5">
          {t('runs.schedule.title')}
        </Title>
        {mayEdit && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconCalendarClock size={15} />}
            disabled={task.status === 'RUNNING'}
            onClick={() => setEditing(true)}
          >
            {schedule === null ? t('runs.schedule.add') : t('common.actions.edit')}
          </Button>
        )}
      </Group>
      {schedule === null ? (
        <Text size="sm" c="dimmed">
          {t('runs.schedule.none')}
        </Text>
      ) : (
        <Stack gap={4}>
          <Text size="sm">
            {inWords(schedule.cron)} · {schedule.timezone} <Code>{schedule.cron}</Code>
          </Text>
          {schedule.nextRunAt !== null && (
            <Text size="sm" c="dimmed">
              {t('runs.schedule.next')} <Ago time={schedule.nextRunAt} />
            </Text>
          )}
          {schedule.note !== null && (
            <Text size="sm" c="orange" role="status">
              {say(schedule, 'note')}
            </Text>
          )}
        </Stack>
      )}
      <Modal
        opened={editing}
        onClose={() => setEditing(false)}
        title={t('runs.schedule.title')}
        closeButtonProps={{ 'aria-label': t('common.actions.close') }}
      >
        <ScheduleForm area={area} task={task} onDone={() => setEditing(false)} />
      </Modal>
    </section>
  );
}

function ScheduleForm({ area, task, onDone }: { area: RunArea; task: ScheduledTask; onDone: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const draft = useDraft<ScheduleValue>({
    cron: task.schedule?.cron ?? '0 6 * * *',
    timezone: task.schedule?.timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const save = useMutation({
    mutationFn: (schedule: ScheduleValue | null) =>
      dataOf(api.PUT(`/api/v1/${area.prefix}/tasks/{id}`, { params: { path: { id: task.id } }, body: { schedule } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: taskKeys.all(area) });
      onDone();
    },
  });
  return (
    <form onSubmit={draft.submit(save.mutate)}>
      <Stack gap="sm">
        <ScheduleFields value={draft.values} onChange={draft.set} />
        {(['days', 'clockChange', 'explained'] as const).map((rule) => (
          <Text key={rule} size="xs" c="dimmed">
            {t(`runs.schedule.${rule}`)}
          </Text>
        ))}
        {save.isError && <ErrorPanel error={save.error} />}
        <Group justify="space-between">
          {task.schedule === null ? (
            <span />
          ) : (
            <Button variant="default" color="red" loading={save.isPending} onClick={() => save.mutate(null)}>
              {t('runs.schedule.end')}
            </Button>
          )}
          <Button type="submit" loading={save.isPending}>
            {t('runs.schedule.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
