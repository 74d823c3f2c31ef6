import { Button, Collapse, Group, SegmentedControl, Stack, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconSearch } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { searchModes, type HitsSearch } from './rag-search.ts';
import { SearchFilters } from './search-filters.tsx';

const route = getRouteApi('/shell/knowledge/$knowledgeBaseId/search');
const optionNames = [
  'topK',
  'minScore',
  'types',
  'tags',
  'dataset',
  'documents',
  'metadata',
  'expand',
  'rerank',
  'after',
  'before',
] as const;

/** The query, the search mode, and the filters, all kept in the address. */
export function SearchForm({ knowledgeBaseId }: { knowledgeBaseId: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const search = route.useSearch();
  const [query, setQuery] = useState(search.q ?? '');
  const [isOpen, setOpen] = useState(optionNames.some((name) => search[name] !== undefined));
  const shown = useRef(search.q);
  // The address changed by other means, such as Back.
  useEffect(() => {
    if (search.q !== shown.current) setQuery(search.q ?? '');
    shown.current = search.q;
  }, [search.q]);
  const change = (next: Partial<HitsSearch>): void =>
    void navigate({
      to: '/knowledge/$knowledgeBaseId/search',
      params: { knowledgeBaseId },
      search: (old: HitsSearch) => ({ ...old, ...next }),
      replace: next.q === undefined,
    });
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <form
      role="search"
      className="panel"
      onSubmit={(event) => {
        event.preventDefault();
        shown.current = query.trim() || undefined;
        change({ q: query.trim() || undefined });
      }}
    >
      <Stack gap="sm">
        <Group gap="xs" wrap="nowrap">
          <TextInput
            type="search"
            aria-label={t('knowledge.search.query')}
            placeholder={t('knowledge.search.placeholder')}
            leftSection={<IconSearch size={16} />}
            value={query}
            maxLength={4000}
            onChange={(event) => setQuery(event.currentTarget.value)}
            className="grows"
          />
          <Button type="submit" disabled={query.trim() === ''}>
            {t('knowledge.tabs.search')}
          </Button>
        </Group>
        <Group gap="md">
          <SegmentedControl
            size="xs"
            aria-label={t('knowledge.search.mode')}
            data={searchModes.map((value) => ({ value, label: t(`knowledge.search.modes.${value}`) }))}
            value={search.mode ?? 'HYBRID'}
            onChange={(next) => change({ mode: next === 'HYBRID' ? undefined : next })}
          />
          <UnstyledButton className="fold-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Chevron size={14} aria-hidden /> {t('knowledge.search.more')}
          </UnstyledButton>
        </Group>
        <Collapse expanded={isOpen}>
          <SearchFilters knowledgeBaseId={knowledgeBaseId} search={search} onChange={change} />
        </Collapse>
      </Stack>
    </form>
  );
}
