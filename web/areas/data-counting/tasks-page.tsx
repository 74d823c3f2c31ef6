import { Button } from '@mantine/core';
import { IconPlus, IconSum } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import { counting } from '../../runs/run-area.ts';
import { tasksQuery } from '../../runs/run-queries.ts';
import { TaskList } from '../../runs/task-list.tsx';
import type { TasksSearch } from '../../runs/tasks-search.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { Page } from '../../ui/page.tsx';

const route = getRouteApi('/shell/counting');

export function TasksPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const search = route.useSearch();
  const { page = 0, size = 20, ...filters } = search;
  const list = useQuery(tasksQuery(counting, { ...filters, page, size } as QueryOf<'listCountingTasks'>));
  const change = (next: Partial<TasksSearch>): void =>
    void navigate({
      to: '/counting',
      search: (old: TasksSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const create = (
    <Button
      leftSection={<IconPlus size={16} />}
      disabled={!mayEdit}
      onClick={() => void navigate({ to: '/counting/new' })}
    >
      {t('counting.create')}
    </Button>
  );
  return (
    <Page title={t('counting.title')} lead={t('counting.lead')} actions={create}>
      <TaskList
        area={counting}
        title={t('counting.title')}
        search={search}
        onChange={change}
        list={list}
        describe={({ sourceDatasetId }) => sourceDatasetId}
        empty={{ icon: IconSum, title: t('counting.empty.title'), lead: t('counting.empty.lead'), action: create }}
      />
    </Page>
  );
}
