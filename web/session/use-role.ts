import { useSuspenseQuery } from '@tanstack/react-query';
import type { Me } from '../api/schema.ts';
import { meQuery } from './session-queries.ts';

export type Role = Me['role'];

/** Who is signed in; only below the shell, where someone always is. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

/** Whether the one signed in may change things: everybody but a VIEWER. */
export function useMayEdit(): boolean {
  return useMe().role !== 'VIEWER';
}
