import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import { operatorsKey } from './market-queries.ts';

type Action = { id: string; version?: string };

const calls = {
  install: ({ id, version }: Action) =>
    dataOf(
      api.POST('/api/v1/operator-market/operators/{id}/install', {
        params: { path: { id } },
        body: version === undefined ? {} : { version },
      }),
    ),
  approve: ({ id, version }: Action) =>
    dataOf(
      api.POST('/api/v1/operator-market/operators/{id}/approve', {
        params: { path: { id } },
        body: version === undefined ? {} : { version },
      }),
    ),
  uninstall: ({ id }: Action) =>
    dataOf(api.POST('/api/v1/operator-market/operators/{id}/uninstall', { params: { path: { id } } })),
  disable: ({ id }: Action) =>
    dataOf(api.POST('/api/v1/operator-market/operators/{id}/disable', { params: { path: { id } } })),
  enable: ({ id }: Action) =>
    dataOf(api.POST('/api/v1/operator-market/operators/{id}/enable', { params: { path: { id } } })),
  remove: ({ id, version }: Action) =>
    dataOf(
      api.DELETE('/api/v1/operator-market/operators/{id}', {
        params: { path: { id }, query: version === undefined ? {} : { version } },
      }),
    ),
} as const;

/** Installs, approves, disables … an operator, then reloads everything shown of operators and tasks. */
export function useOperatorAction(): (action: keyof typeof calls, on: Action) => Promise<void> {
  const queryClient = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationFn: async ({ action, on }: { action: keyof typeof calls; on: Action }) => {
      await calls[action](on);
    },
    onSuccess: async (_data, { action }) => {
      // The page of a deleted operator is closed; reloading its queries would only fail.
      const refetchType = action === 'remove' ? 'none' : 'active';
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: operatorsKey, refetchType }),
        queryClient.invalidateQueries({ queryKey: ['data-cleaning', 'tasks'] }),
      ]);
    },
  });
  return (action, on) => mutateAsync({ action, on });
}
