import { useSuspenseQuery } from '@tanstack/react-query';
import type { Me } from '../api/schema.ts';
import { meQuery } from './session-queries.ts';

export type Role = Me['role'];

/** The signed-in user; use it only below the shell, where there always is one. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

/** Whether the user may change things; false for a VIEWER. */
export function useMayEdit(): boolean {
  return useMe().role !== 'VIEWER';
}
