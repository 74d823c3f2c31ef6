// Calls of the API of a service.

export type ApiAnswer<T = unknown> = { status: number; headers: Headers; body: T };

export type Api = {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** Bearer token of the user admin. */
  token: string;
  dataDir: string;
  /**
   * One call as admin. `path` is relative to `/api/v1` unless it starts with `/api/`. Plain objects and arrays are sent
   * as JSON, everything else unchanged; JSON answers are parsed. `authorization: ''` in `headers` omits the token.
   */
  api<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer<T>>;
  close(): Promise<void>;
};

export function createApi(url: string, token: () => string): Api['api'] {
  return async <T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer<T>> => {
    const isJson = body !== undefined && isPlain(body);
    const sent = new Headers({
      ...(token() === '' ? {} : { authorization: `Bearer ${token()}` }),
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...headers,
    });
    if (sent.get('authorization') === '') sent.delete('authorization');
    const answer = await fetch(url + (path.startsWith('/api/') ? path : `/api/v1${path}`), {
      method,
      headers: sent,
      ...(body === undefined
        ? {}
        : { body: isJson ? JSON.stringify(body) : (body as NonNullable<RequestInit['body']>) }),
    });
    const isJsonAnswer = /^application\/json(;|$)/.test(answer.headers.get('content-type') ?? '');
    const text = isJsonAnswer ? await answer.text() : '';
    const parsed: unknown = isJsonAnswer ? JSON.parse(text) : Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, headers: answer.headers, body: parsed as T };
  };
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
