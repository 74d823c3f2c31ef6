import { createHash } from 'node:crypto';
import { decodedBody } from '../content-encoding.ts';
import { SourceError, type Effects } from '../connector.ts';
import { headersOf, type HttpConfig } from '../http-fields.ts';
import { authorizationOf, bodyOf, request, statusProblem, type SourceRequest } from '../http-requests.ts';
import { linkTo } from '../link-header.ts';
import { OutgoingError } from '../../outgoing/index.ts';
import { BudgetEnded, type CrawlBudget, type Share } from './crawl-budget.ts';
import type { Entry, Found, Frontier } from './frontier.ts';
import { createHostTurns } from './host-turns.ts';
import { fetchOriginRules, type ControlFile, type OriginRules } from './origin-rules.ts';
import { addressOf, documentTypes, identityOf } from './page-address.ts';
import { createPageReader, type PageReader } from './page-reader.ts';
import type { ReadPage } from './page-process.ts';

export type VisitConfig = HttpConfig & {
  startUrls: readonly string[];
  format: 'MARKDOWN' | 'JSONL' | 'HTML';
  documents: boolean;
  sitemaps: boolean;
  reserved: 'KEEP' | 'LEAVE_OUT';
  maxDepth: number;
  maxPageBytes: number;
  requestsPerSecond: number;
  parallelPerHost: number;
};

/** What a later run compares with. */
export type PageStamp = {
  url: string;
  format: string;
  etag: string | null;
  lastModified: string | null;
  digest: string;
  /** Links of the page, so that they are followed also when it is unchanged; left out if they are too many. */
  links?: (string | [url: string, weak: string])[];
};

/** What became of an address. */
export type Visit = {
  result:
    | { kind: 'kept'; bytes: Buffer; extension: string }
    | { kind: 'unchanged' | 'dropped' | 'failed'; reason: string };
  evidence?: Readonly<Record<string, unknown>>;
  stamp?: PageStamp;
  found: Found[];
  /** The address at the end of redirects. */
  finalUrl?: string;
  canonical?: URL;
  digest?: string;
};

export type PageVisits = {
  /** Throws what is no matter of the page. */
  visit(entry: Entry, known: unknown, signal: AbortSignal): Promise<Visit>;
  end(): void;
};

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
/** Attempts at a body that breaks off and can not be continued. */
const bodyAttempts = 3;
const pageMs = 120_000;
const maxStampBytes = 64 * 1024;
const maxSitemapBytes = 50 * 1024 * 1024;

/** Asks for pages as their servers allow, within the budget. */
export function createPageVisits(
  config: VisitConfig,
  { effects, budget, frontier }: { effects: Effects; budget: CrawlBudget; frontier: Frontier },
): PageVisits {
  const reader: PageReader = createPageReader();
  const headers = headersOf(config);
  const robotsName = (/^[^\s/(;]+/.exec(headers['user-agent'] ?? '')?.[0] ?? 'tilth').toLowerCase();
  const credentialOrigins = new Set(config.startUrls.map((url) => URL.parse(url)?.origin));
  const minDelayMs = 1000 / config.requestsPerSecond;
  const origins = new Map<string, Promise<OriginRules>>();

  /** A pause that would outlast the budget ends it. */
  async function pause(ms: number): Promise<void> {
    budget.checkTime();
    if (ms >= budget.msLeft) {
      await effects.pause(budget.msLeft);
      budget.checkTime();
    }
    await effects.pause(ms);
  }

  const turns = createHostTurns(config.parallelPerHost, pause);

  function callOf(url: URL, maxBytes: number, signal: AbortSignal, more: Record<string, string> = {}): SourceRequest {
    // Credentials are for the servers of the start URLs, and no other one of the site.
    const isOwn = credentialOrigins.has(url.origin);
    const own = isOwn ? { ...headers, ...authorizationOf(config) } : { 'user-agent': headers['user-agent'] ?? 'tilth' };
    return {
      url: url.href,
      headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.5', ...own, ...more },
      maxBytes,
      totalMs: Math.max(1, Math.min(pageMs, budget.msLeft)),
      signal,
    };
  }

  async function readBody(
    call: SourceRequest,
    answer: Response,
    { share, upTo = Number.POSITIVE_INFINITY }: { share: Share; upTo?: number },
  ): Promise<Buffer> {
    const length = answer.headers.get('content-length');
    if (length !== null && /^\d+$/.test(length)) {
      try {
        if (Number(length) > call.maxBytes)
          throw new SourceError(`it has ${length} bytes, more than the ${call.maxBytes} that are allowed`);
        share.expect(Number(length));
      } catch (error) {
        await answer.body?.cancel();
        throw error;
      }
    }
    const pieces: Uint8Array[] = [];
    let wireBytes = 0;
    let size = 0;
    async function* metered(): AsyncGenerator<Uint8Array> {
      for await (const piece of bodyOf({ outgoing: effects.outgoing, pause }, call, answer)) {
        await share.receive(piece.length);
        wireBytes += piece.length;
        yield piece;
      }
    }
    for await (const piece of decodedBody(metered(), answer, call.maxBytes)) {
      size += piece.length;
      // What was packed counts with the size that it has here.
      if (size > wireBytes) {
        await share.receive(size - wireBytes);
        wireBytes = size;
      }
      pieces.push(piece);
      if (size >= upTo) break;
    }
    return Buffer.concat(pieces).subarray(0, upTo);
  }

  /** A small file of a server that is no page. */
  async function fetchControlFile(text: string, maxBytes: number, signal: AbortSignal): Promise<ControlFile> {
    const url = new URL(text);
    return turns.take(url.host, 0, async () => {
      const share = await budget.open(false);
      try {
        const call = { ...callOf(url, Number.MAX_SAFE_INTEGER, signal), accepts: isMissing };
        const answer = await request({ outgoing: effects.outgoing, pause }, call);
        const fetchedAt = new Date().toISOString();
        if (!answer.ok) {
          await answer.body?.cancel();
          return { status: answer.status, text: null, fetchedAt };
        }
        const bytes = await readBody(call, answer, { share, upTo: maxBytes });
        return { status: answer.status, text: new TextDecoder().decode(bytes), fetchedAt };
      } finally {
        share.close();
      }
    });
  }

  function rulesOf({ origin }: URL, signal: AbortSignal): Promise<OriginRules> {
    const known = origins.get(origin);
    if (known !== undefined) return known;
    const rules = fetchOriginRules(origin, robotsName, (url, maxBytes) => fetchControlFile(url, maxBytes, signal));
    rules.catch(() => origins.delete(origin));
    origins.set(origin, rules);
    return rules;
  }

  async function visit(entry: Entry, stamp: PageStamp | undefined, signal: AbortSignal): Promise<Visit> {
    const chain: string[] = [];
    let url = new URL(entry.url);
    for (;;) {
      const rules = await rulesOf(url, signal);
      const refusal = rules.findRefusal(url);
      const said = { url: entry.url, depth: entry.depth, foundOn: entry.from, ...rules.evidenceOf(url) };
      if (refusal !== undefined) return { result: refusal, evidence: said, found: [] };
      const delayMs = Math.max(minDelayMs, rules.crawlDelayMs);
      const isFirst = chain.length === 0;
      const here = url;
      const outcome = await turns.take(url.host, delayMs, () =>
        fetchPage({ entry, url: here, isFirst, stamp, said, rules, signal }),
      );
      if (!('location' in outcome)) return outcome;
      chain.push(url.href);
      if (chain.length > maxRedirects) throw new SourceError(`${url.host} redirects more than ${maxRedirects} times`);
      const target = addressOf(outcome.location, url.href);
      const left =
        target === undefined
          ? 'leads by a redirect to what is no web address'
          : findRedirectProblem(target, entry, chain);
      if (target === undefined || left !== undefined) {
        const evidence = { ...said, status: outcome.status, redirects: [...chain.slice(1), target?.href ?? ''] };
        const kind = left?.startsWith('leads') === true && entry.depth === 0 ? 'failed' : 'dropped';
        return { result: { kind, reason: left ?? '' }, evidence, found: [] };
      }
      url = target;
    }
  }

  function findRedirectProblem(target: URL, entry: Entry, chain: readonly string[]): string | undefined {
    const isInChain = [entry.url, ...chain].some((text) => identityOf(new URL(text)) === identityOf(target));
    if (isInChain) return undefined;
    // A start URL that leads away gives nothing of what was asked for.
    if (entry.depth === 0 && !frontier.isInSite(target))
      return `leads by a redirect to ${target.href}, which is not allowed, as it is of another site; if it is meant, make it a start URL`;
    const exclusion = frontier.findExclusion(target);
    if (exclusion !== undefined) return `leads by a redirect to ${target.href}: ${exclusion}`;
    return frontier.isWanted(target) ? `duplicate: redirects to ${target.href}` : undefined;
  }

  type PageRequest = {
    entry: Entry;
    url: URL;
    isFirst: boolean;
    stamp: PageStamp | undefined;
    said: Readonly<Record<string, unknown>>;
    rules: OriginRules;
    signal: AbortSignal;
  };

  async function fetchPage(page: PageRequest): Promise<Visit | { location: string; status: number }> {
    const { entry, isFirst } = page;
    // A chain of redirects is one page.
    const share = await budget.open(isFirst && !entry.isSitemap);
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await fetchOnce(page, share);
        } catch (error) {
          const isCut = error instanceof OutgoingError && error.problem === 'cut-off';
          if (!isCut || attempt === bodyAttempts) throw error;
          await pause(1000 * attempt);
        }
      }
    } finally {
      share.close();
    }
  }

  async function fetchOnce(page: PageRequest, share: Share): Promise<Visit | { location: string; status: number }> {
    const { entry, url, stamp, said, signal } = page;
    const conditions = stamp?.url === url.href && canSkip(entry, stamp) ? conditionsOf(stamp) : {};
    const call = {
      ...callOf(url, entry.isSitemap ? maxSitemapBytes : config.maxPageBytes, signal, conditions),
      redirect: 'manual' as const,
      accepts: (status: number) => isMissing(status) || redirects.has(status),
    };
    const answer = await request({ outgoing: effects.outgoing, pause }, call);
    // A timer may be late where much is to do.
    budget.checkTime();
    const location = redirects.has(answer.status) ? answer.headers.get('location') : null;
    if (location !== null) {
      await answer.body?.cancel();
      return { location, status: answer.status };
    }
    const evidence = { ...said, ...evidenceOf(answer, url) };
    if (answer.status === 304 && stamp !== undefined) {
      const { links = [] } = stamp;
      const found = links.map((link): Found =>
        typeof link === 'string' ? { url: link } : { url: link[0], weak: link[1] },
      );
      return {
        result: { kind: 'unchanged', reason: 'unchanged' },
        evidence,
        found: [...found, ...sitemapsOf(page)],
        digest: stamp.digest,
        finalUrl: url.href,
      };
    }
    if (!answer.ok) {
      await answer.body?.cancel();
      if (entry.isSitemap && isMissing(answer.status))
        return { result: { kind: 'dropped', reason: 'there is no sitemap' }, evidence, found: [] };
      return { result: { kind: 'failed', reason: statusProblem(url.host, answer.status, 1) }, evidence, found: [] };
    }
    if (entry.isSitemap) return readSitemap(page, { call, answer, share, evidence });
    return readAnswer(page, { call, answer, share, evidence });
  }

  type Received = { call: SourceRequest; answer: Response; share: Share; evidence: Readonly<Record<string, unknown>> };

  async function readSitemap({ signal }: PageRequest, { call, answer, share, evidence }: Received): Promise<Visit> {
    const { pages, sitemaps, leftOut } = await reader.readSitemap(await readBody(call, answer, { share }), signal);
    const found = [
      ...sitemaps.map((url): Found => ({ url, isSitemap: true })),
      ...pages.map((url): Found => ({ url })),
    ];
    const reason = `a sitemap with ${found.length} addresses`;
    return { result: { kind: 'dropped', reason }, evidence: { ...evidence, addressesLeftOut: leftOut }, found };
  }

  async function readAnswer(page: PageRequest, received: Received): Promise<Visit> {
    const { entry, url, signal } = page;
    const { call, answer, share } = received;
    const [said = ''] = (answer.headers.get('content-type') ?? '').split(';');
    const type = said.trim().toLowerCase();
    const isText = type === 'text/plain' || type === 'text/markdown' || type === 'text/x-markdown';
    const extension = config.documents ? documentTypes[type] : undefined;
    const isPage = type === 'text/html' || type === 'application/xhtml+xml';
    if (type !== '' && !isPage && !isText && extension === undefined) {
      await answer.body?.cancel();
      return { result: { kind: 'dropped', reason: `type: ${type}` }, evidence: received.evidence, found: [] };
    }
    const bytes = await readBody(call, answer, { share });
    const charset = /charset\s*=\s*["']?([\w:.-]+)/i.exec(answer.headers.get('content-type') ?? '')?.[1];
    if (isPage || (type === '' && looksLikeHtml(bytes))) {
      const wantsText = config.format !== 'HTML';
      const read = await reader.readPage({ bytes, url: url.href, charset, robotsName, wantsText }, signal);
      return pageVisit(page, received, { bytes, read });
    }
    if (type === '')
      return { result: { kind: 'dropped', reason: 'type: unknown' }, evidence: received.evidence, found: [] };
    return otherVisit(page, received, { bytes, extension: extension ?? (type === 'text/plain' ? 'txt' : 'md'), entry });
  }

  function pageVisit(page: PageRequest, received: Received, { bytes, read }: { bytes: Buffer; read: ReadPage }): Visit {
    const { entry, url } = page;
    const { answer } = received;
    const directives = directivesOf([...headerRobots(answer, robotsName), ...read.robots]);
    const isNofollow = directives.has('nofollow') || directives.has('none');
    const found = read.links.map(({ url: link, isNofollow: isWeak }): Found => {
      if (isNofollow) return { url: link, weak: `nofollow: the page ${url.href} says so` };
      return isWeak ? { url: link, weak: `nofollow: the link on ${url.href} says so` } : { url: link };
    });
    const evidence = {
      ...received.evidence,
      title: read.title,
      ...(read.canonical === null ? {} : { canonicalUrl: read.canonical }),
      ...(read.robots.length === 0 ? {} : { metaRobots: read.robots.join(', ') }),
      ...(read.tdmReservation === null ? {} : { metaTdmReservation: read.tdmReservation }),
      ...(read.tdmPolicy === null ? {} : { metaTdmPolicy: read.tdmPolicy }),
      ...(config.format === 'HTML' ? {} : { mainContent: read.isMain }),
      ...(read.linksLeftOut === 0 ? {} : { linksLeftOut: read.linksLeftOut }),
    };
    const content = contentOf(config.format, { url: url.href, bytes, read });
    const canonicalText = read.canonical ?? linkTo('canonical', answer.headers.get('link'));
    const canonical = canonicalText === undefined ? undefined : addressOf(canonicalText, url.href);
    const links = found.map(({ url: link, weak }) => (weak === undefined ? link : ([link, weak] as [string, string])));
    const visit = finish(page, received, { content, extension: extensions[config.format], evidence, links });
    const isLeftOut = directives.has('noindex') || directives.has('none');
    return {
      ...visit,
      ...(isLeftOut ? { result: { kind: 'dropped', reason: 'noindex: the page is not to be indexed' } } : {}),
      found: [...found, ...sitemapsOf(page)],
      ...(canonical === undefined || !frontier.isInSite(canonical) ? {} : { canonical }),
      finalUrl: url.href,
      evidence: { ...evidence, ...(entry.url === url.href ? {} : { finalUrl: url.href }) },
    };
  }

  function otherVisit(
    page: PageRequest,
    received: Received,
    { bytes, extension }: { bytes: Buffer; extension: string; entry: Entry },
  ): Visit {
    const directives = directivesOf(headerRobots(received.answer, robotsName));
    const isRow = config.format === 'JSONL' && (extension === 'txt' || extension === 'md');
    const content = isRow ? rowOf({ url: page.url.href, text: new TextDecoder().decode(bytes) }) : bytes;
    const visit = finish(page, received, {
      content,
      extension: isRow ? 'jsonl' : extension,
      evidence: received.evidence,
      links: [],
    });
    const isLeftOut = directives.has('noindex') || directives.has('none');
    return {
      ...visit,
      ...(isLeftOut ? { result: { kind: 'dropped', reason: 'noindex: the file is not to be indexed' } } : {}),
      finalUrl: page.url.href,
    };
  }

  function finish(
    { entry, url, stamp }: PageRequest,
    { answer, evidence: received }: Received,
    {
      content,
      extension,
      evidence,
      links,
    }: {
      content: Buffer;
      extension: string;
      evidence: Readonly<Record<string, unknown>>;
      links: NonNullable<PageStamp['links']>;
    },
  ): Visit {
    const digest = createHash('sha256').update(content).digest('base64url');
    const bare = {
      url: url.href,
      format: config.format,
      etag: answer.headers.get('etag'),
      lastModified: answer.headers.get('last-modified'),
      digest,
    };
    const isSmall = JSON.stringify(links).length <= maxStampBytes;
    const newStamp: PageStamp = isSmall && entry.depth <= config.maxDepth ? { ...bare, links } : bare;
    const isReserved = config.reserved === 'LEAVE_OUT' && isReservedBy({ ...received, ...evidence });
    if (isReserved)
      return {
        result: { kind: 'dropped', reason: 'reserved: text and data mining, or the use for AI' },
        evidence,
        found: [],
      };
    const isSame = stamp !== undefined && stamp.format === config.format && stamp.digest === digest;
    return {
      result: isSame
        ? { kind: 'unchanged', reason: 'unchanged: the content is the same' }
        : { kind: 'kept', bytes: content, extension },
      evidence,
      stamp: newStamp,
      digest,
      found: [],
    };
  }

  /** Sitemaps are read once a start page has been fetched: those that robots.txt names, or the usual place. */
  function sitemapsOf({ entry, url, rules }: PageRequest): Found[] {
    if (!config.sitemaps || entry.depth > 0 || config.maxDepth === 0) return [];
    const named = rules.sitemaps.length > 0 ? rules.sitemaps : [`${url.origin}/sitemap.xml`];
    return named.map((text): Found => ({ url: text, isSitemap: true }));
  }

  return {
    async visit(entry, known, signal) {
      const stamp = known as PageStamp | undefined;
      const usable = stamp !== undefined && stamp.format === config.format ? stamp : undefined;
      const limited = AbortSignal.any([signal, budget.deadline]);
      const leftOut = (reason: string): Visit => ({ result: { kind: 'dropped', reason }, found: [] });
      try {
        const visited = await visit(entry, usable, limited);
        signal.throwIfAborted();
        // What ended it may have been the time.
        if (visited.result.kind === 'failed') budget.checkTime();
        return visited;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof BudgetEnded) return leftOut(error.message);
        if (budget.isLate) return leftOut(budget.ended ?? '');
        if (!(error instanceof SourceError) && !(error instanceof OutgoingError)) throw error;
        return { result: { kind: 'failed', reason: error.message }, found: [] };
      }
    },
    end: reader.end,
  };
}

const extensions = { MARKDOWN: 'md', JSONL: 'jsonl', HTML: 'html' } as const;

/** RFC 9309: what a client may not see is not there. 429 is a request to come back later. */
function isMissing(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;
}

/** Whether an unchanged page can be told by its validators: its links are known, or not needed. */
function canSkip(entry: Entry, { links }: PageStamp): boolean {
  return !entry.isSitemap && links !== undefined;
}

function conditionsOf({ etag, lastModified }: PageStamp): Record<string, string> {
  if (etag !== null) return { 'if-none-match': etag };
  return lastModified === null ? {} : { 'if-modified-since': lastModified };
}

const evidenceHeaders: Readonly<Record<string, string>> = {
  contentType: 'content-type',
  etag: 'etag',
  lastModified: 'last-modified',
  xRobotsTag: 'x-robots-tag',
  tdmReservation: 'tdm-reservation',
  tdmPolicy: 'tdm-policy',
};

function evidenceOf(answer: Response, url: URL): Record<string, unknown> {
  const said = Object.entries(evidenceHeaders).flatMap(([name, header]) => {
    const value = answer.headers.get(header);
    return value === null ? [] : [[name, value.slice(0, 1000)] as const];
  });
  return {
    finalUrl: url.href,
    status: answer.status,
    fetchedAt: new Date().toISOString(),
    ...Object.fromEntries(said),
  };
}

/** The X-Robots-Tag lines that are for everybody or for this crawler. */
function headerRobots({ headers }: Response, robotsName: string): string[] {
  const tag = headers.get('x-robots-tag');
  if (tag === null) return [];
  const own: string[] = [];
  let isForUs = true;
  for (const part of tag.split(',')) {
    const [, name, rest] = /^\s*([\w*-]+)\s*:\s*(.*)$/.exec(part) ?? [];
    const isAgent = name !== undefined && !/^(?:unavailable_after|max-[\w-]+)$/i.test(name);
    if (isAgent) isForUs = name === '*' || name.toLowerCase() === robotsName;
    if (isForUs) own.push(isAgent ? (rest ?? '') : part);
  }
  return own;
}

function directivesOf(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => text.split(',').map((each) => each.trim().toLowerCase())));
}

/** Whether a page, its answer or its server reserves text and data mining, or says noai. */
export function isReservedBy(evidence: Readonly<Record<string, unknown>>): boolean {
  const isOne = (value: unknown): boolean => value === 1 || value === '1';
  const tdmrep = evidence['tdmrep'] as { 'tdm-reservation'?: unknown } | undefined;
  const robots = directivesOf(
    [evidence['xRobotsTag'], evidence['metaRobots']].filter((each) => typeof each === 'string'),
  );
  if (robots.has('noai') || robots.has('noimageai')) return true;
  // The page itself is nearer than its answer, and that nearer than the file of its server.
  const nearest = evidence['metaTdmReservation'] ?? evidence['tdmReservation'] ?? tdmrep?.['tdm-reservation'];
  return isOne(nearest);
}

function looksLikeHtml(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 1024).toString('latin1');
  return /^\s*(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|div|p|a|h1)\b/i.test(
    start,
  );
}

function contentOf(
  format: VisitConfig['format'],
  { url, bytes, read }: { url: string; bytes: Buffer; read: ReadPage },
): Buffer {
  if (format === 'HTML') return bytes;
  if (format === 'MARKDOWN') return Buffer.from(read.markdown ?? '');
  const { title, language, author, publishedAt, markdown } = read;
  return rowOf({ url, title, language, author, publishedAt, text: markdown ?? '' });
}

function rowOf(row: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(`${JSON.stringify(row)}\n`);
}
