import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client.ts';
import type { CleaningProfile, CleaningProfileRequest, CleaningProfileRun } from '../../../api/schema.ts';

const pollMs = 1000;

/** A profile of random samples. */
export const profileQuery = (
  request: (CleaningProfileRequest & { sample: NonNullable<CleaningProfileRequest['sample']> }) | undefined,
) =>
  queryOptions({
    queryKey: ['data-cleaning', 'profile', request],
    queryFn: async ({ signal }): Promise<CleaningProfile> => {
      if (request === undefined) throw new Error('There is no source to profile');
      const { data } = await dataOf(api.POST('/api/v1/data-cleaning/profile', { body: request, signal }));
      if ('run' in data) throw new Error('A run was started in place of a profile of samples');
      return data;
    },
    enabled: request !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 300_000,
    retry: false,
  });

/** Starts a run over all samples. */
export async function startProfile(request: CleaningProfileRequest): Promise<CleaningProfileRun> {
  const { data } = await dataOf(api.POST('/api/v1/data-cleaning/profile', { body: request }));
  if (!('run' in data)) throw new Error('A profile of samples came in place of a run');
  return data;
}

export async function stopProfile(runId: string): Promise<void> {
  await dataOf(api.POST('/api/v1/data-cleaning/profiles/{runId}/stop', { params: { path: { runId } } }));
}

/** A run over all samples, polled until it ends. */
export const profileRunQuery = (runId: string | undefined) =>
  queryOptions({
    queryKey: ['data-cleaning', 'profiles', runId],
    queryFn: async () =>
      (await dataOf(api.GET('/api/v1/data-cleaning/profiles/{runId}', { params: { path: { runId: runId ?? '' } } })))
        .data,
    enabled: runId !== undefined,
    refetchInterval: ({ state: { data } }) => (data === undefined || isUnfinished(data.run.status) ? pollMs : false),
  });

export function isUnfinished(status: CleaningProfileRun['run']['status']): boolean {
  return status === 'QUEUED' || status === 'RUNNING';
}
