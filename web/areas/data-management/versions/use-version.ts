import { useSearch } from '@tanstack/react-router';
import { readVersionSearch } from '../file-views/rows/rows-search.ts';

/** The version of the address; undefined for the current one. */
export function useVersion(): number | undefined {
  return readVersionSearch(useSearch({ strict: false })).version;
}
