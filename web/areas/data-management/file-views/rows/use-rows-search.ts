import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { readRowsSearch, type RowsSearch } from './rows-search.ts';

/** The choice of rows in the page's address, and a function that changes it. */
export function useRowsSearch(): [RowsSearch, (change: Partial<Record<keyof RowsSearch, unknown>>) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const change = useCallback(
    (next: Partial<Record<keyof RowsSearch, unknown>>) => {
      void navigate({
        to: '.',
        search: (old: Record<string, unknown>) => ({ ...old, row: undefined, ...next }),
        replace: true,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return [readRowsSearch(search), change];
}
