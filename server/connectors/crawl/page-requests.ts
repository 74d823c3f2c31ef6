import { decodedBody } from '../content-encoding.ts';
import { SourceError, type Effects } from '../connector.ts';
import { headersOf } from '../http-fields.ts';
import { authorizationOf, bodyOf, request, type SourceRequest } from '../http-requests.ts';
import { sourceSentences } from '../sentences.ts';
import type { CrawlBudget, Share } from './crawl-budget.ts';
import type { VisitConfig } from './page-visit.ts';

/** The requests of a crawl, within its budget. */
export type PageRequests = {
  /** The name that robots.txt uses for this crawler. */
  readonly robotsName: string;
  callOf(url: URL, maxBytes: number, signal: AbortSignal, more?: Readonly<Record<string, string>>): SourceRequest;
  send(call: SourceRequest): Promise<Response>;
  /** The decoded body; its bytes count against the share. */
  readBody(call: SourceRequest, answer: Response, limits: { share: Share; upTo?: number }): Promise<Buffer>;
  /** Leaves out the body of an answer; what may be on its way counts against the share. */
  discard(answer: Response, share: Share): Promise<void>;
  /** Waits; a pause that would exceed the time limit ends the crawl. */
  pause(ms: number): Promise<void>;
};

const pageMs = 120_000;

export function createPageRequests(
  config: VisitConfig,
  { effects, budget }: { effects: Effects; budget: CrawlBudget },
): PageRequests {
  const headers = headersOf(config);
  const credentialOrigins = new Set(config.startUrls.map((url) => URL.parse(url)?.origin));

  async function pause(ms: number): Promise<void> {
    budget.checkTime();
    if (ms >= budget.msLeft) {
      await effects.pause(budget.msLeft);
      budget.checkTime();
    }
    await effects.pause(ms);
  }

  const limited = { outgoing: effects.outgoing, pause };

  /** Throws if the announced length exceeds the limit of the call or of the share. */
  async function checkLength(call: SourceRequest, answer: Response, share: Share): Promise<void> {
    const length = lengthOf(answer);
    if (length === undefined) return;
    try {
      if (length > call.maxBytes)
        throw new SourceError(sourceSentences.PAGE_TOO_LARGE.reason({ size: length, limit: call.maxBytes }));
      share.expect(length);
    } catch (error) {
      await discard(answer, share);
      throw error;
    }
  }

  return {
    robotsName: (/^[^\s/(;]+/.exec(headers['user-agent'] ?? '')?.[0] ?? 'tilth').toLowerCase(),
    callOf(url, maxBytes, signal, more = {}) {
      // Credentials are only sent to the servers of the start URLs, not to others of the site.
      const isOwn = credentialOrigins.has(url.origin);
      const own = isOwn
        ? { ...headers, ...authorizationOf(config) }
        : { 'user-agent': headers['user-agent'] ?? 'tilth' };
      return {
        url: url.href,
        headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.5', ...own, ...more },
        maxBytes,
        totalMs: Math.max(1, Math.min(pageMs, budget.msLeft)),
        signal,
      };
    },
    send: (call) => request(limited, call),
    async readBody(call, answer, { share, upTo = Number.POSITIVE_INFINITY }) {
      await checkLength(call, answer, share);
      const pieces: Uint8Array[] = [];
      let wireBytes = 0;
      let size = 0;
      async function* metered(): AsyncGenerator<Uint8Array> {
        for await (const piece of bodyOf(limited, call, answer)) {
          await share.receive(piece.length);
          wireBytes += piece.length;
          yield piece;
        }
      }
      for await (const piece of decodedBody(metered(), answer, call.maxBytes)) {
        size += piece.length;
        // Compressed content counts with its decompressed size.
        if (size > wireBytes) {
          await share.receive(size - wireBytes);
          wireBytes = size;
        }
        pieces.push(piece);
        if (size >= upTo) break;
      }
      return Buffer.concat(pieces).subarray(0, upTo);
    },
    discard,
    pause,
  };
}

/** The announced size of a body. */
function lengthOf({ headers }: Response): number | undefined {
  const length = headers.get('content-length');
  return length !== null && /^\d+$/.test(length) ? Number(length) : undefined;
}

async function discard(answer: Response, share: Share): Promise<void> {
  share.cut(answer.body === null ? 0 : lengthOf(answer));
  await answer.body?.cancel();
}

/** RFC 9309 treats a client error as a missing file; 408, 425 and 429 mean that the client may retry later. */
export function isMissing(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;
}
