import { request, type Dispatcher } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { checkPort, parseUrl, redirectTarget } from './guarded-url.ts';
import { OutgoingError, toOutgoingError } from './outgoing-error.ts';
import { outgoingSentences } from './sentences.ts';

export type FetchLimits = {
  /** Time limit until the response's headers arrive (60 s). */
  headersMs?: number;
  /** Time limit between two pieces of the body (60 s). */
  idleMs?: number;
  /** Time limit from the call to the end of the body, including redirects (10 min). */
  totalMs?: number;
  /** Maximum size of a body in bytes (64 MiB). */
  maxBytes?: number;
  /** Redirects to follow (5); 0 refuses any. */
  maxRedirects?: number;
};

export type FetchOptions = FetchLimits & {
  method?: string | undefined;
  headers?: Headers | Readonly<Record<string, string>> | undefined;
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal | null | undefined;
  /** `manual` returns the redirect response itself. */
  redirect?: 'follow' | 'manual' | undefined;
};

/**
 * `fetch` with limits: only http and https, no credentials in the URL, every address checked at each hop, credentials
 * and all other headers that are not harmless removed when a redirect leaves the origin, no proxy, no cookies, no
 * decompression. Throws OutgoingError; so does reading the body.
 */
export type GuardedFetch = (url: string | URL, options?: FetchOptions) => Promise<Response>;

const mebibyte = 1024 * 1024;

const defaults = {
  headersMs: 60_000,
  idleMs: 60_000,
  totalMs: 600_000,
  maxBytes: 64 * mebibyte,
  maxRedirects: 5,
} satisfies Required<FetchLimits>;

const redirects = new Set([301, 302, 303, 307, 308]);
const withoutBody = new Set([101, 204, 205, 304]);
/** Headers that may be sent to another origin. */
const harmlessHeaders = new Set([
  'accept',
  'accept-language',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'range',
  'user-agent',
]);

type Hop = { url: URL; method: string; headers: Record<string, string>; body: string | Uint8Array | undefined };

export function createGuardedFetch({
  dispatcher,
  guard,
}: {
  dispatcher: Dispatcher;
  guard: AddressGuard;
}): GuardedFetch {
  return async (url, options = {}) => {
    const limits = { ...defaults, ...definedOf(options) };
    let hop: Hop = {
      url: parseUrl(url),
      method: (options.method ?? 'GET').toUpperCase(),
      headers: headersOf(options.headers),
      body: options.body,
    };
    const call = createCall(limits.totalMs, options.signal ?? undefined);
    try {
      for (let followed = 0; ; followed++) {
        const answer = await send(hop, limits, call);
        const isFollowed = options.redirect !== 'manual' && redirects.has(answer.statusCode);
        const location = isFollowed ? locationOf(answer.headers.location) : undefined;
        if (location === undefined) return await toResponse(answer, hop, limits, call);
        void answer.body.dump({ limit: 16_384 }).catch(() => {});
        if (followed >= limits.maxRedirects)
          throw new OutgoingError(
            'redirect',
            limits.maxRedirects === 0
              ? outgoingSentences.REDIRECT_NOT_FOLLOWED.reason({
                  host: hop.url.host,
                  target: redirectTarget(location, hop.url),
                })
              : outgoingSentences.REDIRECTS_TOO_OFTEN.reason({ host: hop.url.host, limit: limits.maxRedirects }),
            { sent: true },
          );
        hop = nextHop(hop, answer.statusCode, location);
      }
    } catch (error) {
      call.end();
      throw call.explain(error, hop.url.host);
    }
  };

  async function send(hop: Hop, limits: Required<FetchLimits>, call: Call): Promise<Dispatcher.ResponseData> {
    checkPort(hop.url, guard);
    return request(hop.url, {
      dispatcher,
      method: hop.method,
      headers: hop.headers,
      body: hop.body ?? null,
      signal: call.signal,
      headersTimeout: limits.headersMs,
      bodyTimeout: limits.idleMs,
    });
  }
}

/** One call with its time limit; its timer ends with the last byte. */
type Call = { signal: AbortSignal; end(): void; explain(error: unknown, host: string): OutgoingError };

function createCall(totalMs: number, caller: AbortSignal | undefined): Call {
  const controller = new AbortController();
  let timedOut = false;
  const stop = (): void => controller.abort();
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort();
  }, totalMs).unref();
  if (caller?.aborted === true) stop();
  caller?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', stop);
    },
    explain(error, host) {
      if (!timedOut) return toOutgoingError(error, host, { sent: true });
      return new OutgoingError('timeout', outgoingSentences.CALL_OVER_TIME.reason({ host, limit: totalMs }), {
        sent: true,
        cause: error,
      });
    },
  };
}

async function toResponse(
  answer: Dispatcher.ResponseData,
  hop: Hop,
  limits: Required<FetchLimits>,
  call: Call,
): Promise<Response> {
  const { statusCode: status, headers } = answer;
  const init = { status, headers: flatHeaders(headers) };
  if (status < 200 || status > 599)
    throw new OutgoingError('protocol', outgoingSentences.CALL_STATUS.reason({ host: hop.url.host, status }), {
      sent: true,
    });
  if (withoutBody.has(status) || hop.method === 'HEAD') {
    await answer.body.dump();
    call.end();
    return new Response(null, init);
  }
  return new Response(ReadableStream.from(readBody(answer, hop, limits, call)), init);
}

async function* readBody(
  answer: Dispatcher.ResponseData,
  hop: Hop,
  limits: Required<FetchLimits>,
  call: Call,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > limits.maxBytes)
        throw new OutgoingError(
          'too-large',
          outgoingSentences.ANSWER_TOO_LARGE.reason({ host: hop.url.host, limit: limits.maxBytes }),
          {
            sent: true,
          },
        );
      yield piece;
    }
  } catch (error) {
    throw call.explain(error, hop.url.host);
  } finally {
    call.end();
  }
}

function nextHop(hop: Hop, status: number, location: string): Hop {
  const url = parseUrl(URL.parse(location, hop.url.href) ?? location);
  const becomesGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST';
  let entries = Object.entries(hop.headers).filter(([name]) => name !== 'host');
  if (url.origin !== hop.url.origin) entries = entries.filter(([name]) => harmlessHeaders.has(name));
  if (becomesGet) entries = entries.filter(([name]) => !name.startsWith('content-'));
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(entries),
    body: becomesGet ? undefined : hop.body,
  };
}

function locationOf(header: string | string[] | undefined): string | undefined {
  const first = Array.isArray(header) ? header[0] : header;
  return first === undefined ? undefined : encodedBytes(first);
}

/** Headers with URLs, whose bytes above ASCII belong to these: browsers encode each as it is. */
const urlHeaders = new Set(['location', 'content-location', 'link']);

function encodedBytes(header: string): string {
  return header.replaceAll(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

function headersOf(headers: FetchOptions['headers']): Record<string, string> {
  const entries = headers instanceof Headers ? headers.entries() : Object.entries(headers ?? {});
  const lower: Record<string, string> = {};
  for (const [name, value] of entries) lower[name.toLowerCase()] = value;
  return lower;
}

function flatHeaders(headers: Dispatcher.ResponseData['headers']): [string, string][] {
  const flat: [string, string][] = [];
  for (const [name, value] of Object.entries(headers))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) flat.push([name, urlHeaders.has(name) ? encodedBytes(each) : each]);
  return flat;
}

function definedOf(options: FetchLimits): FetchLimits {
  const { headersMs, idleMs, totalMs, maxBytes, maxRedirects } = options;
  const given = { headersMs, idleMs, totalMs, maxBytes, maxRedirects };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
