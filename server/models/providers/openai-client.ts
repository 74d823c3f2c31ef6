import { isUtf8 } from 'node:buffer';
import OpenAI from 'openai';
import { OutgoingError, type ExchangeOptions, type GuardedExchange, type WholeAnswer } from '../../outgoing/index.ts';

/** Bounds of one call, passed through the client to the function that sends it. */
export type CallBounds = Pick<ExchangeOptions, 'totalMs' | 'maxBytes' | 'onPart'> & {
  /** Updated during the call: the client's own error for an aborted call does not have this. */
  progress: { isSent: boolean };
};

type Built = Awaited<ReturnType<OpenAI['buildRequest']>>;
type SentRequest = RequestInit & CallBounds;

/**
 * OpenAI's client without its overhead per request (headers copied through several `Headers`, URLs, timers, a stream
 * around the response): more than half of its CPU time. Its requests go through `outgoing/`, which enforces the time
 * limit.
 */
export class OpenAiClient extends OpenAI {
  readonly #exchange: GuardedExchange;
  /** Replaces the client's other headers, which disclose its version and the machine. */
  readonly #headers: Readonly<Record<string, string>>;
  readonly #urls = new Map<string, string>();
  readonly #noHeaders = new Headers();

  constructor(options: { baseUrl: string; apiKey: string | undefined; exchange: GuardedExchange }) {
    const { baseUrl, apiKey, exchange } = options;
    super({
      baseURL: baseUrl,
      // Everything is set explicitly, or the client would read it from the environment.
      apiKey: apiKey ?? 'none',
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      logLevel: 'off',
      fetch: () => Promise.reject(new Error('requests go through fetchWithTimeout')),
    });
    this.#exchange = exchange;
    this.#headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'tilth',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    };
  }

  override async buildRequest({
    method,
    path,
    body,
    signal,
    timeout,
    fetchOptions,
  }: Parameters<OpenAI['buildRequest']>[0]): Promise<Built> {
    let url = this.#urls.get(path);
    if (url === undefined) this.#urls.set(path, (url = this.buildURL(path, undefined)));
    const req = {
      ...(fetchOptions as RequestInit | undefined),
      method,
      headers: this.#noHeaders,
      body: JSON.stringify(body),
      ...(signal === undefined || signal === null ? {} : { signal }),
    };
    return { req, url, timeout: timeout ?? this.timeout };
  }

  override async fetchWithTimeout(
    url: Parameters<OpenAI['fetchWithTimeout']>[0],
    init?: RequestInit,
  ): Promise<Response> {
    const { method = 'POST', body, signal, totalMs, maxBytes, onPart, progress } = init as SentRequest;
    progress.isSent = true;
    const answer = await this.#exchange(url instanceof Request ? url.url : url, {
      method: method.toUpperCase(),
      headers: this.#headers,
      body: body as string,
      signal: signal ?? undefined,
      totalMs,
      maxBytes,
      onPart,
    }).catch((error: unknown) => {
      if (error instanceof OutgoingError) progress.isSent = error.sent;
      throw error;
    });
    return answer.status >= 200 && answer.status <= 299 ? leanResponse(answer) : fullResponse(answer);
  }
}

/** The response is not UTF-8: decoding it would replace characters. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/** The part of a response that the client reads: a real `Response` would cost a stream. */
function leanResponse({ status, headers, body }: WholeAnswer): Response {
  const view = {
    ok: true,
    status,
    // `get` and `entries`, as in Headers.
    headers: new Map(pairsOf(headers)),
    text: async () => {
      if (!isUtf8(body)) throw new EncodingError('the answer is no UTF-8');
      return withoutMark(body.toString());
    },
  };
  return view as unknown as Response;
}

function fullResponse({ status, headers, body }: WholeAnswer): Response {
  return new Response(status === 304 ? null : new Uint8Array(body), { status, headers: pairsOf(headers) });
}

function pairsOf(headers: WholeAnswer['headers']): [string, string][] {
  return Object.entries(headers).map(([name, value = '']) => [name, Array.isArray(value) ? value.join(', ') : value]);
}

/** A byte order mark is not part of the text. */
function withoutMark(text: string): string {
  return text.codePointAt(0) === 0xfeff ? text.slice(1) : text;
}
