import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconSearch } from '@tabler/icons-react';
import { useAreas, type Action, type Area } from './area.ts';
import { useShellActions } from './shell-actions.ts';

const [store, spotlight] = createSpotlight();

/** Opens the search over all named objects and all actions; so does Ctrl+K. */
export const openSearch = (): void => spotlight.open();

const found = 6;

export function Search() {
  const { t } = useTranslation();
  const router = useRouter();
  const areas = useAreas();
  const [query, setQuery] = useState('');
  const [keyword] = useDebouncedValue(query.trim(), 200);
  const sources = areas.flatMap(({ search = [] }) => search);
  const results = useQueries({
    queries: sources.map((source) => ({
      queryKey: ['search', source.name, keyword],
      queryFn: () => source.find(keyword, found, { areas, t }),
      enabled: keyword !== '',
      placeholderData: keepPreviousData,
    })),
  });
  const words = query.toLowerCase().split(/\s+/);
  const isWanted = (label: string): boolean => words.every((word) => label.toLowerCase().includes(word));
  const doable = [...useAllActions(areas), ...useShellActions()];
  const actions: SpotlightActionGroupData[] = [
    {
      group: t('shell.search.actions'),
      actions: doable
        .filter(({ label }) => isWanted(label))
        .map(({ id, label, icon: Icon, run }) => ({
          id: `action-${id}`,
          label,
          leftSection: <Icon size={18} />,
          onClick: run,
        })),
    },
    ...sources.map(({ name, label, icon: Icon }, index) => ({
      group: label(t),
      actions: (keyword === '' ? [] : (results[index]?.data ?? [])).map((one) => ({
        id: `${name}-${one.id}`,
        label: one.label,
        description: one.description,
        leftSection: <Icon size={18} />,
        onClick: () => void router.navigate({ to: one.to }),
      })),
    })),
    {
      group: t('common.search.pages'),
      actions: areas
        .flatMap(({ navigation = [] }) => navigation)
        .map(({ to, label, icon: Icon }) => ({
          id: to,
          label: label(t),
          leftSection: <Icon size={18} />,
          onClick: () => void router.navigate({ to }),
        }))
        .filter(({ label }) => isWanted(label)),
    },
  ];
  return (
    <Spotlight
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut="mod + K"
      // The service has already searched; it also matches descriptions, so nothing is filtered here.
      filter={(_query, groups) => groups}
      actions={actions.filter((group) => group.actions.length > 0)}
      nothingFound={t('common.search.nothing')}
      searchProps={{
        placeholder: t('shell.search.placeholder'),
        'aria-label': t('common.search.open'),
        leftSection: <IconSearch size={18} />,
      }}
      highlightQuery
      scrollable
      maxHeight={420}
    />
  );
}

/** The areas are the same at every render, so their hooks are called in the same order. */
function useAllActions(areas: readonly Area[]): Action[] {
  // oxlint-disable-next-line react-hooks/rules-of-hooks -- the same list in the same order at every render
  return areas.flatMap(({ useActions }) => useActions?.() ?? []);
}
