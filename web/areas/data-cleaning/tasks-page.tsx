import { Button } from '@mantine/core';
import { IconFilter, IconPlus, IconTemplate } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import { cleaning } from '../../runs/run-area.ts';
import { tasksQuery } from '../../runs/run-queries.ts';
import { TaskList } from '../../runs/task-list.tsx';
import type { TasksSearch } from '../../runs/tasks-search.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { Page } from '../../ui/page.tsx';

const route = getRouteApi('/shell/cleaning');

export function TasksPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const search = route.useSearch();
  const { page = 0, size = 20, ...filters } = search;
  const list = useQuery(tasksQuery(cleaning, { ...filters, page, size } as QueryOf<'listCleaningTasks'>));
  const change = (next: Partial<TasksSearch>): void =>
    void navigate({
      to: '/cleaning',
      search: (old: TasksSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const create = (
    <Button
      leftSection={<IconPlus size={16} />}
      disabled={!mayEdit}
      onClick={() => void navigate({ to: '/cleaning/new' })}
    >
      {t('cleaning.create')}
    </Button>
  );
  return (
    <Page
      title={t('cleaning.title')}
      lead={t('cleaning.lead')}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconTemplate size={16} />}
            onClick={() => void navigate({ to: '/cleaning/templates' })}
          >
            {t('cleaning.templates.title')}
          </Button>
          {create}
        </>
      }
    >
      <TaskList
        area={cleaning}
        title={t('cleaning.title')}
        search={search}
        onChange={change}
        list={list}
        describe={({ sourceDatasetName, targetDatasetName }) => `${sourceDatasetName} → ${targetDatasetName}`}
        empty={{ icon: IconFilter, title: t('cleaning.empty.title'), lead: t('cleaning.empty.lead'), action: create }}
      />
    </Page>
  );
}
