import type { Reason } from '../kernel/sentences/index.ts';
import { OutgoingError, outgoingSentences } from '../outgoing/index.ts';
import { SourceError, type Effects } from './connector.ts';
import { sourceSentences } from './sentences.ts';

/** A request of a connector, repeated when the server is busy or the connection breaks off. */
export type SourceRequest = {
  url: string;
  method?: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Maximum size of the answer. */
  maxBytes: number;
  /** Time limit of one attempt including its body. */
  totalMs: number;
  signal: AbortSignal;
  /** More headers, computed anew for each attempt: signatures expire. */
  sign?: () => Promise<Readonly<Record<string, string>>>;
  /** More statuses that are not errors. */
  accepts?: (status: number) => boolean;
  /** Redirects are followed unless this is `manual`. */
  redirect?: 'manual';
};

/** The server answered with a status that is no success. */
export class StatusError extends SourceError {
  readonly status: number;

  constructor(reason: Reason, status: number) {
    super(reason);
    this.status = status;
  }
}

const attempts = 5;
const firstPauseMs = 500;
/** A server that asks for a longer pause is not waited for. */
const longestPauseMs = 300_000;

const busy = new Set([408, 425, 429, 500, 502, 503, 504]);
const repeatable = new Set<OutgoingError['problem']>(['unreachable', 'timeout', 'cut-off', 'unresolvable']);

/** The answer to a request: 2xx with content, 304, or 416. Throws SourceError with the server's reason, and OutgoingError. */
export async function request(effects: Pick<Effects, 'outgoing' | 'pause'>, call: SourceRequest): Promise<Response> {
  const { url, headers, maxBytes, totalMs, signal } = call;
  const host = new URL(url).host;
  for (let attempt = 1; ; attempt += 1) {
    let waitMs: number | undefined;
    let problem: Error;
    try {
      const answer = await effects.outgoing.fetch(url, {
        method: call.method,
        headers: { ...headers, ...(await call.sign?.()) },
        body: call.body,
        maxBytes,
        totalMs,
        signal,
        redirect: call.redirect,
      });
      const isAccepted = call.accepts?.(answer.status) === true;
      const unasked = isAccepted ? undefined : unaskedProblem(call, answer);
      if (unasked === undefined && (answer.ok || answer.status === 304 || answer.status === 416 || isAccepted))
        return answer;
      await answer.body?.cancel();
      if (unasked !== undefined) throw new SourceError(unasked);
      problem = new StatusError(statusProblem(host, answer.status, attempt), answer.status);
      if (!busy.has(answer.status)) throw problem;
      waitMs = retryAfterMs(answer.headers.get('retry-after'));
      if (waitMs !== undefined && waitMs > longestPauseMs)
        throw new SourceError(
          sourceSentences.WAIT_TOO_LONG.reason({ host, seconds: Math.ceil(waitMs / 1000), status: answer.status }),
        );
    } catch (error) {
      if (!(error instanceof OutgoingError) || !repeatable.has(error.problem)) throw error;
      problem = error;
    }
    if (attempt >= attempts) throw problem;
    await effects.pause(waitMs ?? firstPauseMs * 2 ** (attempt - 1));
    signal.throwIfAborted();
  }
}

/** Why a successful answer is not the content: it has none, or is a part of it that was not asked for (RFC 9110, 15.3). */
function unaskedProblem({ url, headers }: SourceRequest, answer: Response): Reason | undefined {
  const { host } = new URL(url);
  if (answer.status === 204 || answer.status === 205)
    return sourceSentences.ANSWERS_WITHOUT_CONTENT.reason({ host, status: answer.status });
  const isAsked = Object.keys(headers).some((name) => name.toLowerCase() === 'range');
  return answer.status === 206 && !isAsked && !isWhole(answer) ? partProblem(host, answer) : undefined;
}

/** That an answer is only a part of the bytes. */
export function partProblem(host: string, { headers }: Response): Reason {
  return sourceSentences.ANSWERS_PART.reason({ host, range: headers.get('content-range') ?? 'no Content-Range' });
}

/** Whether the range of an answer is all of the bytes. */
function isWhole({ headers }: Response): boolean {
  const [, last, total] = /^\s*bytes\s+0-(\d+)\/(\d+)\s*$/i.exec(headers.get('content-range') ?? '') ?? [];
  return last !== undefined && Number(last) + 1 === Number(total);
}

/** Whether an answer is some of the bytes; some APIs use 206 and Content-Range for pages, with other units. */
export function isPartOfBytes(answer: Response): boolean {
  const isOfBytes =
    /^\s*bytes\b/i.test(answer.headers.get('content-range') ?? '') ||
    /^multipart\/byteranges\b/i.test(answer.headers.get('content-type') ?? '');
  return answer.status === 206 && isOfBytes && !isWhole(answer);
}

/** Limit per body, for servers that break off again and again. */
const maxResumptions = 20;

/**
 * The body of an answer. After a broken connection it is resumed by Range if a validator shows that the content is
 * unchanged; otherwise the error is thrown. Throws SourceError if more or fewer bytes arrive than announced.
 */
export async function* bodyOf(
  effects: Pick<Effects, 'outgoing' | 'pause'>,
  call: SourceRequest,
  answer: Response,
): AsyncGenerator<Uint8Array> {
  const total = lengthOf(answer);
  const validator = strongValidator(answer);
  let current = answer;
  let at = 0;
  for (let resumed = 0; ; resumed += 1) {
    try {
      for await (const piece of current.body ?? []) {
        at += piece.length;
        if (at > call.maxBytes)
          throw new SourceError(
            sourceSentences.SENDS_TOO_MUCH.reason({ host: new URL(call.url).host, limit: call.maxBytes }),
          );
        yield piece;
      }
      if (total !== undefined && at !== total)
        throw new SourceError(
          sourceSentences.SENDS_OTHER_LENGTH.reason({ host: new URL(call.url).host, announced: total, sent: at }),
        );
      return;
    } catch (error) {
      const isCut = error instanceof OutgoingError && (error.problem === 'cut-off' || error.problem === 'unreachable');
      if (!isCut || at === 0 || validator === undefined || resumed >= maxResumptions) throw error;
      await effects.pause(firstPauseMs * Math.min(2 ** resumed, 32));
      const rest = { ...call.headers, range: `bytes=${at}-`, 'if-range': validator };
      current = await request(effects, { ...call, headers: rest });
      if (current.status === 206 && startsAt(current, at, total) && strongValidator(current) === validator) continue;
      await current.body?.cancel();
      throw error;
    }
  }
}

/** The announced number of bytes; undefined if there is none. */
function lengthOf(answer: Response): number | undefined {
  const length = answer.headers.get('content-length');
  return length === null || !/^\d+$/.test(length) || answer.headers.has('content-encoding')
    ? undefined
    : Number(length);
}

/** A validator that changes with every byte: without one, parts of two answers must not be joined. */
function strongValidator({ headers }: Response): string | undefined {
  const etag = headers.get('etag');
  if (etag !== null) return etag.startsWith('W/') ? undefined : etag;
  return headers.get('last-modified') ?? undefined;
}

function startsAt(answer: Response, at: number, total: number | undefined): boolean {
  const [, from, all] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(answer.headers.get('content-range') ?? '') ?? [];
  return Number(from) === at && (total === undefined || all === '*' || Number(all) === total);
}

/** A Retry-After header, in seconds or as a date, in milliseconds. */
export function retryAfterMs(header: string | null, nowMs = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** The meaning of a status, for users. */
export function statusProblem(host: string, status: number, attempt: number): Reason {
  const problem = problemOfStatus(host, status);
  const isRetried = attempt > 1 && (status === 429 || !Object.hasOwn(lastingProblems, status));
  return isRetried ? sourceSentences.ALSO_AFTER_ATTEMPTS.reason({ problem, count: attempt }) : problem;
}

const lastingProblems = {
  401: sourceSentences.ANSWERS_401,
  403: sourceSentences.ANSWERS_403,
  404: sourceSentences.ANSWERS_404,
  410: sourceSentences.ANSWERS_410,
} as const;

function problemOfStatus(host: string, status: number): Reason {
  const lasting = Object.hasOwn(lastingProblems, status)
    ? lastingProblems[status as keyof typeof lastingProblems]
    : undefined;
  if (lasting !== undefined) return lasting.reason({ host });
  if (status === 429) return sourceSentences.ANSWERS_429.reason({ host });
  return status >= 500
    ? outgoingSentences.ANSWERS_FAILED.reason({ host, status })
    : outgoingSentences.CALL_STATUS.reason({ host, status });
}

/** The Authorization header for a request's credentials. */
export function authorizationOf({
  bearerToken,
  username,
  password,
}: {
  bearerToken?: string | null;
  username?: string;
  password?: string | null;
}): Readonly<Record<string, string>> {
  if (typeof bearerToken === 'string' && bearerToken !== '') return { authorization: `Bearer ${bearerToken}` };
  if (username === undefined || username === '') return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` };
}
