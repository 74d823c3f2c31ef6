import { Alert, Button, Drawer, Group, Kbd, Stack } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconListSearch } from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable, type Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { Pager } from '../ui/pager.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { formatCount } from '../ui/format.ts';
import { useLocale } from '../ui/figures.tsx';
import type { LedgerSearch } from './ledger-search.ts';

export type LedgerPage<Entry> = {
  content: readonly Entry[];
  page: number;
  size: number;
  totalElements: number;
  totalPages: number;
  /** Number of samples whose texts the search has not reached. */
  unsearched?: number;
};

type Props<Entry> = {
  search: LedgerSearch;
  /** Writes the filters and the open entry to the address; resets to the first page unless one is given. */
  onChange: (next: Partial<LedgerSearch>) => void;
  list: {
    data: LedgerPage<Entry> | undefined;
    error: Error | null;
    isPlaceholderData: boolean;
    refetch: () => unknown;
  };
  columns: Column<Entry>[];
  idOf: (entry: Entry) => string;
  /** Filters by verdict, step and reason. */
  facets: ReactNode;
  /** Words for areas whose entries are not samples. */
  words?: { search: string; empty: string; title: string; detail: string };
  /** Renders the open entry. */
  detail: (id: string) => ReactNode;
};

/**
 * A run's ledger as a table: the verdict on each input and its reason, filtered by the address, with one entry open
 * beside it.
 */
export function LedgerView<Entry>(props: Props<Entry>) {
  const { t } = useTranslation();
  const locale = useLocale();
  const { search, onChange, list } = props;
  const { page = 0, sample, verdict, operatorId, reasonCode, review, search: words } = search;
  const isFiltered = [verdict, operatorId, reasonCode, review, words].some((filter) => filter !== undefined);
  const ids = (list.data?.content ?? []).map(props.idOf);
  const at = sample === undefined ? -1 : ids.indexOf(sample);
  const isFirst = at === 0 && page === 0;
  const isLast = at === ids.length - 1 && page + 1 >= (list.data?.totalPages ?? 0);
  // Which end of the newly opened page to select once it is loaded.
  const arriving = useRef<'first' | 'last'>(undefined);
  const step = (by: 1 | -1): void => {
    if (at === -1 || (by === 1 ? isLast : isFirst)) return;
    const next = ids[at + by];
    if (next === undefined) arriving.current = by === 1 ? 'first' : 'last';
    onChange({ page: (next === undefined ? page + by : page) || undefined, sample: next ?? sample });
  };
  const [firstId] = ids;
  const lastId = ids.at(-1);
  useEffect(() => {
    const arrived = arriving.current === 'last' ? lastId : firstId;
    if (arriving.current === undefined || list.isPlaceholderData || arrived === undefined) return;
    arriving.current = undefined;
    onChange({ page: page || undefined, sample: arrived });
  }, [firstId, lastId, list.isPlaceholderData, onChange, page]);
  useHotkeys([
    ['j', () => step(1)],
    ['k', () => step(-1)],
    ['ArrowRight', () => step(1)],
    ['ArrowLeft', () => step(-1)],
  ]);
  return (
    <Stack gap="sm">
      <Group gap="xs" component="search">
        <SearchField
          label={props.words?.search ?? t('runs.ledger.search')}
          value={words}
          onChange={(next) => onChange({ search: next })}
        />
      </Group>
      {props.facets}
      {(list.data?.unsearched ?? 0) > 0 && (
        <Alert color="orange" py="xs" role="status">
          {t('runs.ledger.unsearched', {
            count: list.data?.unsearched ?? 0,
            samples: formatCount(list.data?.unsearched ?? 0, locale),
          })}
        </Alert>
      )}
      {list.error !== null ? (
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data?.content.length === 0 ? (
        <EmptyState
          icon={IconListSearch}
          title={isFiltered ? t('common.list.nothingFound') : (props.words?.empty ?? t('runs.ledger.empty'))}
          action={
            isFiltered ? (
              <Button
                variant="light"
                onClick={() =>
                  onChange({
                    verdict: undefined,
                    operatorId: undefined,
                    reasonCode: undefined,
                    review: undefined,
                    search: undefined,
                  })
                }
              >
                {t('common.actions.clearFilters')}
              </Button>
            ) : undefined
          }
        />
      ) : (
        <>
          <DataTable
            label={props.words?.title ?? t('runs.ledger.title')}
            columns={props.columns}
            rows={list.data?.content}
            idOf={props.idOf}
            onOpen={(entry) => onChange({ page: page || undefined, sample: props.idOf(entry) })}
            stale={list.isPlaceholderData}
          />
          {list.data !== undefined && (
            <Pager {...list.data} onChange={(next) => onChange({ page: next.page || undefined, size: next.size })} />
          )}
        </>
      )}
      <Drawer
        opened={sample !== undefined}
        onClose={() => onChange({ page: page || undefined, sample: undefined })}
        position="right"
        size="lg"
        title={props.words?.detail ?? t('runs.ledger.journey')}
        closeButtonProps={{ 'aria-label': t('common.actions.close') }}
      >
        {at !== -1 && (
          <Group gap="xs" mb="sm">
            <Button size="compact-sm" variant="default" disabled={isFirst} onClick={() => step(-1)}>
              {t('runs.ledger.previous')}{' '}
              <Kbd size="xs" ml={6}>
                K
              </Kbd>
            </Button>
            <Button size="compact-sm" variant="default" disabled={isLast} onClick={() => step(1)}>
              {t('runs.ledger.next')}{' '}
              <Kbd size="xs" ml={6}>
                J
              </Kbd>
            </Button>
          </Group>
        )}
        {sample !== undefined && props.detail(sample)}
      </Drawer>
    </Stack>
  );
}
