import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/client.ts';
import type { TaskStatus } from '../api/schema.ts';
import { useMayEdit } from '../session/use-role.ts';
import { ConfirmDialog } from '../ui/confirm.tsx';
import { notifyDone } from '../ui/notify.ts';
import type { RunArea } from './run-area.ts';
import { taskKeys } from './run-queries.ts';

export type TaskAction = {
  label: string;
  icon: ComponentType<{ size?: number }>;
  color?: string;
  /** Whether the action is also available while the task runs. */
  whileRunning?: boolean;
  /** What the user has to confirm first. */
  question?: { title: string; action: string; explanation: string };
  run: () => Promise<unknown>;
};

type Props = {
  area: RunArea;
  task: { id: string; name: string; status: TaskStatus };
  actions: readonly TaskAction[];
};

/** Actions on a task other than running it: edit, actions of the area, delete. */
export function TaskMenu({ area, task, actions }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mayEdit = useMayEdit();
  const [asked, setAsked] = useState<string>();
  if (!mayEdit) return null;
  const all: readonly TaskAction[] = [
    {
      label: t('common.actions.edit'),
      icon: IconPencil,
      run: () => navigate({ to: `${area.path}/$taskId/edit`, params: { taskId: task.id } }),
    },
    ...actions,
    {
      label: t('common.actions.delete'),
      icon: IconTrash,
      color: 'red',
      question: {
        title: t(`${area.name}.task.deleteTitle`, { name: task.name }),
        action: t(`${area.name}.task.deleteAction`),
        explanation: t(`${area.name}.task.deleteExplained`),
      },
      async run() {
        await dataOf(api.DELETE(`/api/v1/${area.prefix}/tasks/{id}`, { params: { path: { id: task.id } } }));
        notifyDone(t(`${area.name}.task.deleted`, { name: task.name }));
        await navigate({ to: area.path });
        queryClient.removeQueries({ queryKey: taskKeys.one(area, task.id) });
        await queryClient.invalidateQueries({ queryKey: taskKeys.all(area) });
      },
    },
  ];
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={t('common.actions.more')}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {all.map(({ label, icon: Icon, color, whileRunning = false, question, run }) => (
            <Menu.Item
              key={label}
              color={color}
              leftSection={<Icon size={15} />}
              disabled={!whileRunning && task.status === 'RUNNING'}
              onClick={() => (question === undefined ? void run() : setAsked(label))}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {all.map(
        ({ label, question, run }) =>
          question !== undefined && (
            <ConfirmDialog
              key={label}
              opened={asked === label}
              title={question.title}
              action={question.action}
              onClose={() => setAsked(undefined)}
              onConfirm={run}
            >
              {question.explanation}
            </ConfirmDialog>
          ),
      )}
    </>
  );
}
