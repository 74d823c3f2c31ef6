import { foreign, type Reason } from '../../kernel/sentences/index.ts';
import { SourceError, type Effects } from '../connector.ts';
import { statusProblem } from '../http-requests.ts';
import { OutgoingError, outgoingSentences } from '../../outgoing/index.ts';
import { sourceSentences } from '../sentences.ts';
import { BudgetEnded, type CrawlBudget, type Share } from './crawl-budget.ts';
import { foundIn, type Entry, type Frontier } from './frontier.ts';
import { createHostTurns } from './host-turns.ts';
import { createKnownOrigins } from './known-origins.ts';
import { addressOf, identityOf } from './page-address.ts';
import { createPageContents } from './page-contents.ts';
import { createPageReader } from './page-reader.ts';
import { createPageRequests, isMissing } from './page-requests.ts';
import type { Evidence, VisitRequest, PageStamp, Visit, VisitConfig } from './page-visit.ts';

export type PageVisits = {
  /** Throws only errors that do not concern the page itself. */
  visit(entry: Entry, known: unknown, signal: AbortSignal): Promise<Visit>;
  end(): void;
};

type Redirect = { location: string; status: number };

/** Why a redirect is not followed, and whether its target is an item of its own. */
type LeftRedirect = { reason: Reason; isDuplicate: boolean };

const nowhere: LeftRedirect = { reason: sourceSentences.REDIRECTS_NOWHERE.reason({}), isDuplicate: false };

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
/** Attempts at a body that is cut off and can not be resumed. */
const bodyAttempts = 3;
const maxSitemapBytes = 50 * 1024 * 1024;

/** Requests pages as their servers allow, within the budget. */
export function createPageVisits(
  config: VisitConfig,
  { effects, budget, frontier }: { effects: Effects; budget: CrawlBudget; frontier: Frontier },
): PageVisits {
  const reader = createPageReader();
  const requests = createPageRequests(config, { effects, budget });
  const turns = createHostTurns(config.parallelPerHost, requests.pause);
  const origins = createKnownOrigins({ requests, budget, turns });
  const contents = createPageContents(config, { requests, reader, frontier });
  const minDelayMs = 1000 / config.requestsPerSecond;

  /** Follows redirects to the page. */
  async function visit(entry: Entry, stamp: PageStamp | undefined, signal: AbortSignal): Promise<Visit> {
    const chain: string[] = [];
    let url = new URL(entry.url);
    for (;;) {
      const rules = await origins.rulesOf(url, signal);
      const refusal = rules.findRefusal(url);
      const said = { url: entry.url, depth: entry.depth, foundOn: entry.from, ...rules.evidenceOf(url) };
      if (refusal !== undefined) return { result: refusal, evidence: said, found: [] };
      const delayMs = Math.max(minDelayMs, rules.crawlDelayMs);
      const page = { entry, url, stamp, said, rules, signal };
      // A chain of redirects counts as one page.
      const isPage = chain.length === 0 && !entry.isSitemap;
      const outcome = await turns.take(url.host, delayMs, () => fetchPage(page, isPage));
      if (!('location' in outcome)) return outcome;
      chain.push(url.href);
      if (chain.length > maxRedirects)
        throw new SourceError(outgoingSentences.REDIRECTS_TOO_OFTEN.reason({ host: url.host, limit: maxRedirects }));
      const target = addressOf(outcome.location, url.href);
      const left = target === undefined ? nowhere : findRedirectProblem(target, entry, chain);
      if (target === undefined || left !== undefined) {
        const evidence = { ...said, status: outcome.status, redirects: [...chain.slice(1), target?.href ?? ''] };
        const { reason, isDuplicate } = left ?? nowhere;
        const kind = entry.depth === 0 && !isDuplicate ? 'failed' : 'dropped';
        return { result: { kind, reason }, evidence, found: [] };
      }
      url = target;
    }
  }

  function findRedirectProblem(target: URL, entry: Entry, chain: readonly string[]): LeftRedirect | undefined {
    const isInChain = [entry.url, ...chain].some((text) => identityOf(new URL(text)) === identityOf(target));
    if (isInChain) return undefined;
    // A start URL that redirects to another site does not give what the user asked for.
    if (entry.depth === 0 && !frontier.isInSite(target))
      return { reason: sourceSentences.REDIRECTS_AWAY.reason({ url: target.href }), isDuplicate: false };
    const exclusion = frontier.findExclusion(target);
    if (exclusion !== undefined)
      return {
        reason: sourceSentences.REDIRECTS_LEFT_OUT.reason({ url: target.href, why: exclusion }),
        isDuplicate: false,
      };
    return frontier.isWanted(target)
      ? { reason: sourceSentences.DUPLICATE_REDIRECT.reason({ url: target.href }), isDuplicate: true }
      : undefined;
  }

  async function fetchPage(page: VisitRequest, isPage: boolean): Promise<Visit | Redirect> {
    const share = await budget.open(isPage);
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await fetchOnce(page, share);
        } catch (error) {
          const isCut = error instanceof OutgoingError && error.problem === 'cut-off';
          if (!isCut || attempt === bodyAttempts) throw error;
          await requests.pause(1000 * attempt);
        }
      }
    } finally {
      share.close();
    }
  }

  async function fetchOnce(page: VisitRequest, share: Share): Promise<Visit | Redirect> {
    const { entry, url, stamp, said, signal } = page;
    const conditions = stamp?.url === url.href && canSkip(entry, stamp) ? conditionsOf(stamp) : {};
    const call = {
      ...requests.callOf(url, entry.isSitemap ? maxSitemapBytes : config.maxPageBytes, signal, conditions),
      redirect: 'manual' as const,
      accepts: (status: number) => isMissing(status) || redirects.has(status),
    };
    const answer = await requests.send(call);
    // A timer may be late under load.
    budget.checkTime();
    const location = redirects.has(answer.status) ? answer.headers.get('location') : null;
    if (location !== null) {
      await requests.discard(answer, share);
      return { location, status: answer.status };
    }
    const evidence = { ...said, ...evidenceOf(answer, url) };
    if (answer.status === 304 && stamp !== undefined) return unchangedVisit(page, stamp, evidence);
    if (!answer.ok) {
      await requests.discard(answer, share);
      if (entry.isSitemap && isMissing(answer.status))
        return { result: { kind: 'dropped', reason: sourceSentences.SITEMAP_MISSING.reason({}) }, evidence, found: [] };
      return { result: { kind: 'failed', reason: statusProblem(url.host, answer.status, 1) }, evidence, found: [] };
    }
    const received = { call, answer, share, evidence };
    return entry.isSitemap ? contents.readSitemap(page, received) : contents.read(page, received);
  }

  function unchangedVisit(page: VisitRequest, { links = [], digest }: PageStamp, evidence: Evidence): Visit {
    const found = links.map(foundIn);
    return {
      result: { kind: 'unchanged', reason: sourceSentences.UNCHANGED.reason({}) },
      evidence,
      found: [...found, ...contents.sitemapsOf(page)],
      digest,
      finalUrl: page.url.href,
    };
  }

  return {
    async visit(entry, known, signal) {
      const stamp = known as PageStamp | undefined;
      const usable = stamp !== undefined && stamp.format === config.format ? stamp : undefined;
      const limited = AbortSignal.any([signal, budget.deadline]);
      const leftByBudget = (reason: Reason): Visit => ({
        result: { kind: 'dropped', reason, byBudget: true },
        found: [],
      });
      try {
        const visited = await visit(entry, usable, limited);
        signal.throwIfAborted();
        // The time limit may have caused the failure.
        if (visited.result.kind === 'failed') budget.checkTime();
        return visited;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof BudgetEnded) return leftByBudget(error.reason);
        if (budget.isLate) return leftByBudget(budget.ended ?? foreign(''));
        if (!(error instanceof SourceError) && !(error instanceof OutgoingError)) throw error;
        return { result: { kind: 'failed', reason: error.reason }, found: [] };
      }
    },
    end: reader.end,
  };
}

/** Whether a conditional request is enough: the links of the unchanged page are stored. */
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
