import { Button, Group, Select, Skeleton, Text } from '@mantine/core';
import { IconBuildingStore, IconKey, IconSearch, IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OperatorFacets } from '../../../api/schema.ts';
import { localizeCategory } from '../../../messages/operator-texts.ts';
import { useMayEdit } from '../../../session/use-role.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Page } from '../../../ui/page.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { facetsQuery, marketQuery } from './market-queries.ts';
import { kinds, modalities, readMarketSearch, sorts, type MarketSearch } from './market-search.ts';
import { OperatorCard } from './operator-card.tsx';

const route = getRouteApi('/shell/market');

/** Published operators: searched by what they do, with the market's measurements. */
export function MarketPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const mayEdit = useMayEdit();
  const search = readMarketSearch(route.useSearch());
  const list = useQuery(marketQuery(search));
  const facets = useQuery(facetsQuery);
  const change = (next: Partial<MarketSearch>): void =>
    void navigate({
      to: '/market',
      search: (old: MarketSearch) => ({ ...old, page: undefined, ...next }),
      replace: true,
    });
  const { page: _page, sort: _sort, ...filters } = search;
  const isFiltered = Object.keys(filters).length > 0;
  const isEmpty = list.data?.content.length === 0;
  const publish = mayEdit && (
    <Button leftSection={<IconUpload size={16} />} onClick={() => void navigate({ to: '/market/publish' })}>
      {t('market.publish.action')}
    </Button>
  );
  return (
    <Page
      title={t('market.title')}
      lead={
        <>
          {t('market.lead')} <Link to="/operators">{t('market.builtIn')}</Link>
        </>
      }
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconKey size={16} />}
            onClick={() => void navigate({ to: '/market/publishers' })}
          >
            {t('market.publishers.title')}
          </Button>
          {publish}
        </>
      }
    >
      {(!isEmpty || isFiltered) && <Filters search={search} facets={facets.data} onChange={change} />}
      {list.isError ? (
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      ) : isEmpty && isFiltered ? (
        <EmptyState
          icon={IconSearch}
          title={t('market.nothing')}
          lead={t('market.nothingLead')}
          action={
            <Button variant="light" onClick={() => void navigate({ to: '/market', search: {} })}>
              {t('common.actions.clearFilters')}
            </Button>
          }
        />
      ) : isEmpty ? (
        <EmptyState
          icon={IconBuildingStore}
          title={t('market.empty.title')}
          lead={t(mayEdit ? 'market.empty.lead' : 'market.empty.viewerLead')}
          action={publish}
        />
      ) : (
        <>
          <div className="operator-cards" data-stale={list.isPlaceholderData || undefined} aria-busy={list.isPending}>
            {list.data === undefined
              ? Array.from({ length: 6 }, (_, at) => <Skeleton key={at} height={180} />)
              : list.data.content.map((operator) => <OperatorCard key={operator.id} operator={operator} />)}
          </div>
          <Text className="sr-only" role="status">
            {list.data !== undefined && t('market.found', { count: list.data.totalElements })}
          </Text>
          {list.data !== undefined && list.data.totalPages > 1 && (
            <Pager {...list.data} onChange={({ page }) => change({ page: page || undefined })} />
          )}
        </>
      )}
    </Page>
  );
}

type FiltersProps = {
  search: MarketSearch;
  facets: OperatorFacets | undefined;
  onChange: (next: Partial<MarketSearch>) => void;
};

function Filters({ search, facets, onChange }: FiltersProps) {
  const { t, i18n } = useTranslation();
  const choices = (values: OperatorFacets['authors'] = [], nameOf = (value: string): string => value) =>
    values.map(({ value, count }) => ({ value, label: `${nameOf(value)} (${count})` }));
  const select = (
    label: string,
    data: { value: string; label: string }[],
    value: string | undefined,
    change: (value: string | undefined) => void,
  ) => (
    <Select
      aria-label={label}
      placeholder={label}
      data={data}
      value={value ?? null}
      clearable
      clearButtonProps={{ 'aria-label': t('common.actions.clear') }}
      onChange={(next) => change(next ?? undefined)}
      className="market-filter"
    />
  );
  const yesNo = (value: boolean | undefined): string | undefined => (value === undefined ? undefined : String(value));
  const asBoolean = (value: string | undefined): boolean | undefined =>
    value === undefined ? undefined : value === 'true';
  return (
    <Group gap="xs" component="search">
      <SearchField label={t('operators.search')} value={search.keyword} onChange={(keyword) => onChange({ keyword })} />
      {select(
        t('market.filters.category'),
        choices(facets?.categories, (category) => localizeCategory(category, i18n.language)),
        search.category,
        (category) => onChange({ category }),
      )}
      {select(
        t('market.filters.kind'),
        kinds.map((value) => ({ value, label: t(`operators.kinds.${value}`) })),
        search.kind,
        (kind) => onChange({ kind: kind as MarketSearch['kind'] }),
      )}
      {select(
        t('market.filters.modality'),
        modalities.map((value) => ({ value, label: t(`market.modalities.${value}`) })),
        search.modality,
        (modality) => onChange({ modality: modality as MarketSearch['modality'] }),
      )}
      {select(t('market.filters.author'), choices(facets?.authors), search.author, (author) => onChange({ author }))}
      {select(
        t('market.filters.capability'),
        [
          { value: 'none', label: t('market.capabilities.none') },
          ...choices(facets?.capabilities, (value) => (value === 'models' ? t('market.capabilities.models') : value)),
        ],
        search.capability,
        (capability) => onChange({ capability }),
      )}
      {select(
        t('market.filters.installed'),
        [
          { value: 'true', label: t('market.states.installed') },
          { value: 'false', label: t('market.states.notInstalled') },
        ],
        yesNo(search.installed),
        (installed) => onChange({ installed: asBoolean(installed) }),
      )}
      {select(
        t('market.filters.signature'),
        [
          { value: 'true', label: t('market.filters.verified') },
          { value: 'false', label: t('market.filters.notVerified') },
        ],
        yesNo(search.verified),
        (verified) => onChange({ verified: asBoolean(verified) }),
      )}
      <Select
        aria-label={t('market.sort.label')}
        data={[
          { value: '', label: t(search.keyword === undefined ? 'market.sort.name' : 'market.sort.best') },
          ...sorts.map((value) => ({ value, label: t(`market.sort.${value}`) })),
        ]}
        value={search.sort ?? ''}
        allowDeselect={false}
        onChange={(next) => onChange({ sort: sorts.find((sort) => sort === next) })}
        className="market-filter"
      />
    </Group>
  );
}
