import { useCallback, useState } from 'react';
import { parseLayout, type ColumnLayout } from './column-layout.ts';

/** The arrangement of a table's columns, kept in this browser. */
export function useColumnLayout(table: string): [ColumnLayout, (layout: ColumnLayout) => void] {
  const key = `tilth-columns ${table}`;
  const [layout, setLayout] = useState(() => parseLayout(localStorage.getItem(key)));
  const change = useCallback(
    (next: ColumnLayout): void => {
      setLayout(next);
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // If the storage is full, the layout is not kept; the table works without it.
      }
    },
    [key],
  );
  return [layout, change];
}
