import { Button, Drawer, Group, Kbd, Select, Stack } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconListSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable, type Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { Pager } from '../ui/pager.tsx';
import { SearchField } from '../ui/search-field.tsx';
import type { LedgerSearch } from './ledger-search.ts';
import type { Verdict } from './verdict-badge.tsx';

export type LedgerPage<Entry> = {
  content: readonly Entry[];
  page: number;
  size: number;
  totalElements: number;
  totalPages: number;
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
  verdicts: readonly Verdict[];
  /** The steps to filter by: operators, columns of a template, connectors. */
  steps?: readonly { value: string; label: string }[];
  /** What is shown of the open entry. */
  detail: (id: string) => ReactNode;
};

/**
 * A run's ledger as a table: the verdict on each input and its reason, filtered by the address, with one entry open
 * beside it.
 */
export function LedgerView<Entry>(props: Props<Entry>) {
  const { t } = useTranslation();
  const { search, onChange, list, verdicts, steps = [] } = props;
  const { page = 0, sample, verdict, operatorId, search: words } = search;
  const isFiltered = verdict !== undefined || operatorId !== undefined || words !== undefined;
  const ids = (list.data?.content ?? []).map(props.idOf);
  const at = sample === undefined ? -1 : ids.indexOf(sample);
  const step = (by: number): void => {
    const next = at === -1 ? undefined : ids[at + by];
    if (next !== undefined) onChange({ page: page || undefined, sample: next });
  };
  useHotkeys([
    ['j', () => step(1)],
    ['k', () => step(-1)],
  ]);
  return (
    <Stack gap="sm">
      <Group gap="xs" component="search">
        <SearchField label={t('runs.ledger.search')} value={words} onChange={(next) => onChange({ search: next })} />
        <Select
          aria-label={t('runs.ledger.verdict')}
          placeholder={t('runs.ledger.anyVerdict')}
          data={verdicts.map((value) => ({ value, label: t(`runs.verdicts.${value}`) }))}
          value={verdict ?? null}
          clearable
          onChange={(next) => onChange({ verdict: next ?? undefined })}
          w={150}
        />
        {steps.length > 0 && (
          <Select
            aria-label={t('runs.ledger.step')}
            placeholder={t('runs.ledger.anyStep')}
            data={[...steps]}
            value={operatorId ?? null}
            clearable
            onChange={(next) => onChange({ operatorId: next ?? undefined })}
            w={220}
          />
        )}
      </Group>
      {list.error !== null ? (
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data?.content.length === 0 ? (
        <EmptyState
          icon={IconListSearch}
          title={isFiltered ? t('common.list.nothingFound') : t('runs.ledger.empty')}
          action={
            isFiltered ? (
              <Button
                variant="light"
                onClick={() => onChange({ verdict: undefined, operatorId: undefined, search: undefined })}
              >
                {t('common.actions.clearFilters')}
              </Button>
            ) : undefined
          }
        />
      ) : (
        <>
          <DataTable
            label={t('runs.ledger.title')}
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
        title={t('runs.ledger.journey')}
        closeButtonProps={{ 'aria-label': t('common.actions.close') }}
      >
        {at !== -1 && (
          <Group gap="xs" mb="sm">
            <Button size="compact-sm" variant="default" disabled={at === 0} onClick={() => step(-1)}>
              {t('runs.ledger.previous')}{' '}
              <Kbd size="xs" ml={6}>
                K
              </Kbd>
            </Button>
            <Button size="compact-sm" variant="default" disabled={at === ids.length - 1} onClick={() => step(1)}>
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
