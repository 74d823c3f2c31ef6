import createClient, { type Middleware } from 'openapi-fetch';
import { addressOf } from './path-prefix.ts';
import type { operations, paths } from './schema.ts';
import { ApiError, errorOfAnswer, OfflineError } from './errors.ts';
import { session } from './session.ts';

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * The CSRF cookie; every write repeats its value in a header, so that other sites can not write in this user's name.
 */
export function csrfToken(): string {
  return /(?:^|;\s*)tilth_csrf=([^;]*)/.exec(document.cookie)?.[1] ?? '';
}

/** The language of the application, then those of the browser. */
function languages(): string {
  return [document.documentElement.lang, ...navigator.languages].filter((tag) => tag !== '').slice(0, 8).join(', ');
}

const copies = new WeakMap<Request, Request>();

const guardCalls: Middleware = {
  onRequest({ request }) {
    // Hints for what the service has to guess, such as the encoding of names in an archive.
    request.headers.set('accept-language', languages());
    if (writes.has(request.method)) request.headers.set('x-csrf-token', csrfToken());
    // A body can be read only once; this copy is sent again after the user signs in.
    copies.set(request, request.clone());
    return request;
  },
  async onResponse({ request, response }) {
    if (response.status === 401 && !asksForCredential(request.url)) {
      await session.renew();
      const again = copies.get(request) ?? request;
      if (writes.has(again.method)) again.headers.set('x-csrf-token', csrfToken());
      const second = await fetch(again);
      if (!second.ok) throw await errorOfAnswer(second);
      return second;
    }
    if (!response.ok) throw await errorOfAnswer(response);
    return response;
  },
  onError({ error }) {
    if (error instanceof ApiError || error instanceof DOMException) return error;
    return new OfflineError({ cause: error });
  },
};

/** The typed client of the API. A call returns its data or throws an ApiError or an OfflineError. */
export const api = createClient<paths>({ baseUrl: addressOf('/'), credentials: 'same-origin' });
api.use(guardCalls);

/** The query parameters of an operation. */
export type QueryOf<O extends keyof operations> = NonNullable<operations[O]['parameters']['query']>;

/** Returns the data of a call; errors have already been thrown by the client. */
export async function dataOf<T>(call: Promise<{ data?: T }>): Promise<T> {
  const { data } = await call;
  return data as T;
}

/** Whether a 401 of the call must not prompt the user to sign in. */
function asksForCredential(url: string): boolean {
  return /\/api\/v1\/auth\/(?:login|logout|me|me\/password)$/.test(new URL(url).pathname);
}
