import { Button, Group } from '@mantine/core';
import { IconMessageChatbot, IconPlus, IconSparkles } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { QueryOf } from '../../api/client.ts';
import type { SynthesisTask } from '../../api/schema.ts';
import { synthesis } from '../../runs/run-area.ts';
import { tasksQuery } from '../../runs/run-queries.ts';
import { TaskList } from '../../runs/task-list.tsx';
import type { TasksSearch } from '../../runs/tasks-search.ts';
import { useMayEdit } from '../../session/use-role.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { templateNameOf } from './built-in-texts.ts';
import { TaskCost } from './task-cost.tsx';

const route = getRouteApi('/shell/synthesis');

/** The synthesis tasks, each with the state, counts and cost of its latest run. */
export function TasksPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const search = route.useSearch();
  const { page = 0, size = 20, ...filters } = search;
  const list = useQuery(tasksQuery(synthesis, { ...filters, page, size } as QueryOf<'listSynthesisTasks'>));
  const change = (next: Partial<TasksSearch>): void =>
    void navigate({
      to: '/synthesis',
      search: (old: TasksSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const create = mayEdit && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => void navigate({ to: '/synthesis/new' })}>
      {t('synthesis.create')}
    </Button>
  );
  const templates = (
    <Link to="/synthesis/templates" className="button-link">
      <Button component="span" variant="default" leftSection={<IconMessageChatbot size={16} />}>
        {t('synthesis.templates.title')}
      </Button>
    </Link>
  );
  const cost: Column<SynthesisTask> = {
    key: 'cost',
    header: t('synthesis.usage.cost'),
    align: 'right',
    width: 110,
    from: 'md',
    cell: (task) => <TaskCost task={task} />,
  };
  return (
    <Page
      title={t('synthesis.title')}
      lead={t('synthesis.lead')}
      actions={
        <>
          {templates}
          {create}
        </>
      }
    >
      <TaskList
        area={synthesis}
        title={t('synthesis.title')}
        search={search}
        onChange={change}
        list={list}
        columns={[cost]}
        describe={({ templateId, templateName, sourceDatasetName, targetDatasetName }) =>
          `${sourceDatasetName} → ${templateNameOf({ id: templateId, name: templateName }, t)} → ${targetDatasetName}`
        }
        empty={{
          icon: IconSparkles,
          title: t('synthesis.empty.title'),
          lead: (
            <>
              <p>{t('synthesis.empty.lead')}</p>
              <p>{t('synthesis.empty.try')}</p>
            </>
          ),
          action: (
            <Group gap="xs" justify="center">
              {create}
              {templates}
            </Group>
          ),
        }}
      />
    </Page>
  );
}
