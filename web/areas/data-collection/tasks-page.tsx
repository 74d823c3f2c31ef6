import { Button } from '@mantine/core';
import { IconDownload, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import { collection } from '../../runs/run-area.ts';
import { tasksQuery } from '../../runs/run-queries.ts';
import { TaskList } from '../../runs/task-list.tsx';
import type { TasksSearch } from '../../runs/tasks-search.ts';
import { useMayEdit } from '../../session/use-role.ts';
import { Page } from '../../ui/page.tsx';
import { useConnectors } from './use-connectors.ts';

const route = getRouteApi('/shell/collection');

export function TasksPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const search = route.useSearch();
  const { page = 0, size = 20, ...filters } = search;
  const list = useQuery(tasksQuery(collection, { ...filters, page, size } as QueryOf<'listCollectionTasks'>));
  const connectors = useConnectors();
  const change = (next: Partial<TasksSearch>): void =>
    void navigate({
      to: '/collection',
      search: (old: TasksSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const create = (
    <Button
      leftSection={<IconPlus size={16} />}
      disabled={!mayEdit}
      onClick={() => void navigate({ to: '/collection/new' })}
    >
      {t('collection.create')}
    </Button>
  );
  const nameOf = (type: string): string => connectors.data?.find((one) => one.type === type)?.name ?? type;
  return (
    <Page title={t('collection.title')} lead={t('collection.lead')} actions={create}>
      <TaskList
        area={collection}
        title={t('collection.title')}
        search={search}
        onChange={change}
        list={list}
        describe={({ connector, targetDatasetName }) => `${nameOf(connector.type)} → ${targetDatasetName}`}
        empty={{
          icon: IconDownload,
          title: t('collection.empty.title'),
          lead: t('collection.empty.lead'),
          action: create,
        }}
      />
    </Page>
  );
}
