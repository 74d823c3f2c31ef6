import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceLogin } from './credentials.ts';
import { ConnectionProblem, ServiceRefusal } from './cli-problem.ts';

type Body = { json: unknown } | { form: () => FormData };

export type CallOptions = {
  body?: Body;
  /** Whether a repeated call is harmless, so that it is retried after a lost answer (default: reads and deletions). */
  repeatable?: boolean;
};

/** Calls the service's API. Waits for rate limits, restarts and broken connections. */
export type ServiceClient = {
  url: string;
  /** Returns the data of the response; throws ServiceRefusal and ConnectionProblem. */
  call<T>(method: string, path: string, options?: CallOptions): Promise<T>;
  /** Returns a response whose body the caller reads. */
  open(path: string, headers: Readonly<Record<string, string>>): Promise<Response>;
};

const apiPrefix = '/api/v1';
const callTimeoutMs = 300_000;
/** Pauses before the second and later attempts, about 25 s in total: enough for a restart of the service. */
export const pausesMs = [300, 1_000, 2_000, 4_000, 8_000, 10_000];
const waitable = new Set([429, 502, 503, 504]);

export function createServiceClient(
  { url, apiKey }: ServiceLogin,
  { signal, onWait }: { signal: AbortSignal; onWait: (why: string, seconds: number) => void },
): ServiceClient {
  /** Makes one attempt; returns the response, or how long to wait before the next attempt, and why. */
  async function attempt(method: string, path: string, init: RequestInit, number: number, repeatable: boolean) {
    const pauseMs = pausesMs[number];
    let answer: Response;
    try {
      // Redirects are not followed, as they would send the key to another address.
      answer = await fetch(`${url}${apiPrefix}${path}`, { method, redirect: 'manual', ...init });
    } catch (error) {
      signal.throwIfAborted();
      const problem = new ConnectionProblem(`${url} cannot be reached: ${reasonOf(error)}`, { cause: error });
      if (!repeatable || pauseMs === undefined) throw problem;
      return { wait: pauseMs, why: problem.message };
    }
    if (answer.ok) return { answer };
    const refusal = await refusalOf(answer, url);
    const mayWait =
      waitable.has(answer.status) && (repeatable || answer.status === 429 || answer.headers.has('retry-after'));
    const seconds = Number(answer.headers.get('retry-after'));
    // A rate limit says when it ends and does not count as an attempt, however long it lasts.
    if (mayWait && answer.status === 429 && seconds > 0)
      return { wait: seconds * 1000, why: refusal.message, free: true };
    if (mayWait && pauseMs !== undefined) return { wait: Math.max(pauseMs, seconds * 1000 || 0), why: refusal.message };
    if (answer.status >= 502 && answer.status <= 504) throw new ConnectionProblem(refusal.message);
    throw refusal;
  }

  async function request(
    method: string,
    path: string,
    { body, repeatable }: CallOptions,
    headers: Record<string, string>,
    timeoutMs?: number,
  ) {
    const again = repeatable ?? (method === 'GET' || method === 'DELETE');
    for (let number = 0; ;) {
      signal.throwIfAborted();
      const signals = timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const result = await attempt(method, path, { headers, signal: signals, ...sentBody(body) }, number, again);
      if (result.answer !== undefined) return result.answer;
      if (result.wait >= 1000) onWait(result.why, Math.ceil(result.wait / 1000));
      await pause(result.wait, undefined, { signal }).catch(() => signal.throwIfAborted());
      if (result.free !== true) number += 1;
    }
  }

  return {
    url,
    async call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
      const isJson = options.body !== undefined && 'json' in options.body;
      const headers = { 'x-api-key': apiKey, ...(isJson ? { 'content-type': 'application/json' } : {}) };
      const answer = await request(method, path, options, headers, callTimeoutMs);
      let text: string;
      try {
        text = await answer.text();
      } catch (error) {
        signal.throwIfAborted();
        throw new ConnectionProblem(`the connection to ${url} was lost: ${reasonOf(error)}`, { cause: error });
      }
      return dataOf(text, path, url) as T;
    },
    open: (path, headers) => request('GET', path, {}, { ...headers, 'x-api-key': apiKey }),
  };
}

/** Builds a path with escaped parts and a query. */
export function apiPath(
  parts: readonly string[],
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const given: [string, string][] = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  return `/${parts.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** The reason of a failed call, in words for the user. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return 'it did not respond in time';
  return cause.message === '' ? cause.name : cause.message;
}

function sentBody(body: Body | undefined): Pick<RequestInit, 'body'> {
  if (body === undefined) return {};
  return { body: 'json' in body ? JSON.stringify(body.json) : body.form() };
}

/** All areas but data management and auth wrap their data in an envelope. */
function dataOf(text: string, path: string, url: string): unknown {
  if (text === '') return undefined;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new ConnectionProblem(`${url} is not a Tilth service`, { cause: error });
  }
  return /^\/(?:data-management|auth)\//.test(path) ? data : (data as { data: unknown }).data;
}

async function refusalOf(answer: Response, url: string): Promise<ServiceRefusal> {
  const text = await answer.text().catch(() => '');
  const words = wordsOf(text) ?? `${url} answered ${answer.status}`;
  if (answer.status >= 300 && answer.status < 400)
    return new ServiceRefusal(
      `${url} redirects to ${answer.headers.get('location') ?? 'elsewhere'}; sign in at that address, because the API key is not sent to other addresses`,
      answer.status,
    );
  if (answer.status === 401)
    return new ServiceRefusal(
      `${words}. The API key may have expired or been deleted; run: npm start -- cli login ${url}`,
      401,
    );
  if (answer.status === 403)
    return new ServiceRefusal(
      `${words}. The role of the API key does not allow this; see npm start -- cli login --help`,
      403,
    );
  return new ServiceRefusal(words, answer.status);
}

/** The message of an error response, which has one of two forms. */
function wordsOf(text: string): string | undefined {
  try {
    const { message, error, code } = JSON.parse(text) as Record<string, unknown>;
    const words = code === undefined ? message : error;
    return typeof words === 'string' && words !== '' ? words.replace(/\.$/, '') : undefined;
  } catch {
    return undefined;
  }
}
