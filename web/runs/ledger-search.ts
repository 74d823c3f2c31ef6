import { readListSearch, type ListSearch } from '../ui/list-search.ts';

/** The search parameters of a ledger; `sample` is the entry that is open beside the list. */
export type LedgerSearch = ListSearch & {
  verdict?: string;
  operatorId?: string;
  reasonCode?: string;
  /** The review of a record. */
  review?: string;
  search?: string;
  sample?: string;
};

export function readLedgerSearch(search: Record<string, unknown>): LedgerSearch {
  const text = (name: keyof LedgerSearch): Partial<LedgerSearch> => {
    const value = search[name];
    return typeof value === 'string' && value !== ''
      ? { [name]: value }
      : typeof value === 'number'
        ? { [name]: String(value) }
        : {};
  };
  return {
    ...readListSearch(search),
    ...text('verdict'),
    ...text('operatorId'),
    ...text('reasonCode'),
    ...text('review'),
    ...text('search'),
    ...text('sample'),
  };
}
