/** The API calls of the demo; waits when rate limited. */
export type Client = {
  url: string;
  /** Sends JSON and returns the data of the response; throws DemoError with the service's message. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  send(path: string, form: FormData): Promise<unknown>;
  download(path: string): Promise<Response>;
};

/** An error that the user can fix; shown without a stack. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

export type Credential = { token: string } | { apiKey: string } | { username: string; password: string };

/** Signs in if a name and password are given. */
export async function connect(url: string, credential: Credential): Promise<Client> {
  const base = `${url.replace(/\/+$/, '')}/api/v1`;
  const headers = new Headers();
  const client: Client = {
    url,
    async call<T>(method: string, path: string, body?: unknown): Promise<T> {
      const answer = await request(
        method,
        path,
        body === undefined ? undefined : JSON.stringify(body),
        'application/json',
      );
      const text = await answer.text();
      const data = text === '' ? undefined : (JSON.parse(text) as unknown);
      // All areas except data management and auth wrap their data in an envelope.
      const isEnvelope = !/^\/(data-management|auth)\//.test(path);
      return (isEnvelope && data !== undefined ? (data as { data: T }).data : data) as T;
    },
    send: async (path, form) => (await request('POST', path, form)).json(),
    download: (path) => request('GET', path),
  };

  async function request(
    method: string,
    path: string,
    body?: string | FormData,
    contentType?: string,
  ): Promise<Response> {
    for (;;) {
      const sent = new Headers(headers);
      if (body !== undefined && contentType !== undefined) sent.set('content-type', contentType);
      const answer = await reach(`${base}${path}`, { method, headers: sent, ...(body === undefined ? {} : { body }) });
      if (answer.ok) return answer;
      const text = await answer.text();
      const wait = Number(answer.headers.get('retry-after'));
      if (answer.status !== 429 || !(wait > 0) || path.startsWith('/auth/')) {
        throw new DemoError(`${method} ${path} returned ${answer.status}: ${wordsOf(text)}`);
      }
      console.log(`Rate limit reached; retrying in ${wait} s …`);
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    }
  }

  if ('token' in credential) headers.set('authorization', `Bearer ${credential.token}`);
  else if ('apiKey' in credential) headers.set('x-api-key', credential.apiKey);
  else {
    const { token } = await client.call<{ token: string }>('POST', '/auth/login', credential);
    headers.set('authorization', `Bearer ${token}`);
  }
  return client;
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new DemoError(`${new URL(url).origin} can't be reached: ${cause}`, { cause: error });
  }
}

/** The message of an error in either of its two shapes. */
function wordsOf(text: string): string {
  try {
    const { message, error, code } = JSON.parse(text) as Record<string, unknown>;
    return String(code === undefined ? message : error);
  } catch {
    return text.slice(0, 200);
  }
}
