import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconDatabase, IconFilter, IconSearch } from '@tabler/icons-react';
import { api, dataOf } from '../api/client.ts';

const [store, spotlight] = createSpotlight();

/** Opens the search over everything that has a name; Ctrl+K does, too. */
export const openSearch = (): void => spotlight.open();

const found = 6;

export function Search() {
  const { t } = useTranslation();
  const router = useRouter();
  const [query, setQuery] = useState('');
  const [keyword] = useDebouncedValue(query.trim(), 200);
  const datasets = useQuery({
    queryKey: ['search', 'datasets', keyword],
    queryFn: () => dataOf(api.GET('/api/v1/data-management/datasets', { params: { query: { keyword, size: found } } })),
    enabled: keyword !== '',
    placeholderData: keepPreviousData,
  });
  const tasks = useQuery({
    queryKey: ['search', 'tasks', keyword],
    queryFn: () => dataOf(api.GET('/api/v1/data-cleaning/tasks', { params: { query: { keyword, size: found } } })),
    enabled: keyword !== '',
    placeholderData: keepPreviousData,
  });
  const pages = [
    { to: '/', label: t('common.navigation.home') },
    { to: '/datasets', label: t('common.navigation.datasets') },
    { to: '/cleaning', label: t('common.navigation.cleaning') },
    { to: '/operators', label: t('common.navigation.operators') },
    { to: '/settings', label: t('common.navigation.settings') },
  ] as const;
  const isWanted = (label: string): boolean => label.toLowerCase().includes(query.trim().toLowerCase());
  const actions: SpotlightActionGroupData[] = [
    {
      group: t('common.search.datasets'),
      actions: (keyword === '' ? [] : (datasets.data?.content ?? [])).map(({ id, name, description }) => ({
        id: `dataset-${id}`,
        label: name,
        description,
        leftSection: <IconDatabase size={18} />,
        onClick: () => void router.navigate({ to: '/datasets/$datasetId', params: { datasetId: id } }),
      })),
    },
    {
      group: t('common.search.tasks'),
      actions: (keyword === '' ? [] : (tasks.data?.data.content ?? [])).map(({ id, name, description }) => ({
        id: `task-${id}`,
        label: name,
        description: description ?? undefined,
        leftSection: <IconFilter size={18} />,
        onClick: () => void router.navigate({ to: '/cleaning/$taskId', params: { taskId: id } }),
      })),
    },
    {
      group: t('common.search.pages'),
      actions: pages
        .filter(({ label }) => isWanted(label))
        .map(({ to, label }) => ({ id: to, label, onClick: () => void router.navigate({ to }) })),
    },
  ];
  return (
    <Spotlight
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut="mod + K"
      // The service has searched already, in descriptions as well.
      filter={(_query, groups) => groups}
      actions={actions.filter((group) => group.actions.length > 0)}
      nothingFound={t('common.search.nothing')}
      searchProps={{
        placeholder: t('common.search.placeholder'),
        'aria-label': t('common.search.open'),
        leftSection: <IconSearch size={18} />,
      }}
      highlightQuery
      scrollable
      maxHeight={420}
    />
  );
}
