import { queryOptions } from '@tanstack/react-query';
import { api, csrfToken, dataOf } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';

/** The signed-in user. Without a session cookie there is none, and no call is made. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => {
    if (csrfToken() === '') throw notSignedIn();
    return dataOf(api.GET('/api/v1/auth/me'));
  },
  staleTime: 60_000,
});

export type Credentials = { username: string; password: string };

/** Signs in by cookie, whose token scripts can not read. */
export function signIn(credentials: Credentials): Promise<unknown> {
  return dataOf(api.POST('/api/v1/auth/login', { body: { ...credentials, cookie: true } }));
}

export async function signOut(): Promise<void> {
  if (csrfToken() !== '') await dataOf(api.POST('/api/v1/auth/logout'));
}

function notSignedIn(): ApiError {
  const nothingMore = { requestId: undefined, retryAfterSeconds: undefined };
  return new ApiError({ status: 401, code: 'UNAUTHENTICATED', message: 'Nobody is signed in', ...nothingMore });
}
