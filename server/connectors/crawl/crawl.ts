import type { Reason } from '../../kernel/sentences/index.ts';
import { sourceSentences } from '../sentences.ts';
import { safePath } from '../safe-path.ts';
import type { Effects, Expectation, FetchedFile, FileItem, LeftOut, LeftOutFile } from '../connector.ts';
import { createCrawlBudget, type CrawlLimits, type Spent } from './crawl-budget.ts';
import type { FrontierRules } from './exclusions.ts';
import { createFrontier, type CrawlNote, type Entry } from './frontier.ts';
import { identityOf } from './page-address.ts';
import type { Visit, VisitConfig } from './page-visit.ts';
import { createPageVisits } from './page-visits.ts';
import { isReservedBy } from './robots-directives.ts';

export type Crawl = {
  /** Every address that is found, once; each is fetched when its turn comes. */
  items(): AsyncGenerator<FileItem | LeftOut | Expectation>;
  /** Fetches the first start URL; without a sample, the message says why. */
  tryStart(): Promise<{ message: Reason; sample?: Readonly<Record<string, unknown>> }>;
  end(): void;
};

const sampleLength = 2000;

/**
 * A crawl that can be resumed: what each item found is stored with it, so that the list can be rebuilt, in the same
 * order, up to the last recorded item.
 */
export function createCrawl(config: VisitConfig & FrontierRules & CrawlLimits, effects: Effects): Crawl {
  const { journal } = effects;
  const frontier = createFrontier(config);
  const budget = createCrawlBudget(config, {
    before: journal.spent as Spent | undefined,
    store: journal.spend,
  });
  const visits = createPageVisits(config, { effects, budget, frontier });
  let fetching = 0;
  let reserved = 0;
  let leftByBudget = 0;
  let merged: Promise<void> = Promise.resolve();
  let wake = (): void => {};

  async function replay(): Promise<void> {
    const advance = (note?: CrawlNote): void => {
      const entry = frontier.next();
      if (entry !== undefined && entry.skip === undefined) frontier.replay(entry, note);
    };
    let next = 0;
    for await (const { item, note } of journal.notes()) {
      for (; next < item; next += 1) advance();
      advance(note as CrawlNote);
      next += 1;
    }
    for (; next < journal.items; next += 1) advance();
  }

  /** Decides on a page once all pages before it are settled: duplicates then do not depend on which answer came first. */
  function settle(entry: Entry, visit: Visit): FetchedFile | LeftOutFile {
    const { evidence, stamp, found, finalUrl, canonical, digest } = visit;
    let { result } = visit;
    const note: CrawlNote = {};
    const isTaken = result.kind === 'kept' || result.kind === 'unchanged';
    const own = [entry.url, ...(finalUrl === undefined ? [] : [finalUrl])].map((url) => new URL(url));
    const isOther = (url: URL): boolean => own.every((each) => identityOf(each) !== identityOf(url));
    if (isTaken && canonical !== undefined && isOther(canonical)) {
      if (frontier.isWanted(canonical) && !frontier.wasLeftOutFor(canonical)) {
        result = { kind: 'dropped', reason: sourceSentences.DUPLICATE_CANONICAL.reason({ url: canonical.href }) };
        note.favours = true;
      } else note.claims = [canonical.href];
    }
    const twin = digest === undefined || result.kind === 'dropped' ? undefined : frontier.findSame(digest);
    if (isTaken && twin !== undefined)
      result = { kind: 'dropped', reason: sourceSentences.DUPLICATE_CONTENT.reason({ url: twin }) };
    if (finalUrl !== undefined && finalUrl !== entry.url) note.claims = [...(note.claims ?? []), finalUrl];
    if (digest !== undefined && result.kind !== 'dropped') note.digest = digest;
    const said = { evidence, stamp, note: frontier.settle(entry, { ...note, found }) };
    if (result.kind !== 'kept') {
      if (result.byBudget) leftByBudget += 1;
      // Only an unchanged item updates its stamp.
      return {
        ...said,
        stamp: result.kind === 'unchanged' ? stamp : undefined,
        kind: result.kind,
        reason: result.reason,
      };
    }
    if (isReservedBy(evidence ?? {})) reserved += 1;
    const { bytes, extension } = result;
    return { ...said, bytes: piecesOf(bytes), path: pathOfPage(entry.url, extension) };
  }

  function itemOf(entry: Entry): FileItem {
    const before = merged;
    const { promise, resolve } = Promise.withResolvers<void>();
    merged = promise;
    fetching += 1;
    let isReleased = false;
    return {
      kind: 'file',
      key: identityOf(new URL(entry.url)),
      name: entry.url,
      path: pathOfPage(entry.url, 'html'),
      async load(known, signal) {
        const visit = await visits.visit(entry, known, signal);
        await before;
        return settle(entry, visit);
      },
      release() {
        if (isReleased) return;
        isReleased = true;
        fetching -= 1;
        frontier.forget(entry);
        resolve();
        wake();
      },
    };
  }

  return {
    async *items() {
      await replay();
      for (;;) {
        effects.signal.throwIfAborted();
        const entry = frontier.next();
        if (entry === undefined) {
          if (fetching === 0) break;
          await new Promise<void>((resolve) => (wake = resolve));
          continue;
        }
        const { url: name, skip } = entry;
        yield { kind: 'expected', inputs: frontier.seen };
        if (skip !== undefined) yield { kind: 'dropped', name, reason: skip };
        else if (budget.ended !== undefined) {
          frontier.forget(entry);
          leftByBudget += 1;
          yield { kind: 'dropped', name, reason: budget.ended };
        } else yield itemOf(entry);
      }
      if (leftByBudget > 0)
        await effects.log(
          'WARN',
          sourceSentences.CRAWL_BUDGET_ENDED.reason({ count: leftByBudget, budget: budget.ended ?? 'budget of bytes' }),
        );
      if (frontier.overflow > 0)
        await effects.log('WARN', sourceSentences.CRAWL_TOO_MANY.reason({ count: frontier.overflow }));
      if (reserved > 0) await effects.log('WARN', sourceSentences.CRAWL_RESERVED.reason({ count: reserved }));
    },

    async tryStart() {
      const entry = frontier.next();
      if (entry === undefined || entry.skip !== undefined)
        return {
          message: sourceSentences.CRAWL_NOT_FETCHED.reason({
            url: entry?.url ?? 'The start URL',
            why: entry?.skip ?? sourceSentences.NO_WEB_ADDRESS.reason({}),
          }),
        };
      const { result, evidence, found } = await visits.visit(entry, undefined, effects.signal);
      if (result.kind !== 'kept')
        return { message: sourceSentences.CRAWL_NOTHING_KEPT.reason({ url: entry.url, why: result.reason }) };
      return {
        message: sourceSentences.CRAWL_READY.reason({ count: found.length }),
        sample: {
          name: entry.url,
          path: pathOfPage(entry.url, result.extension),
          content: result.bytes.toString('utf8').slice(0, sampleLength),
          links: found.slice(0, 10).map(({ url }) => url),
          ...evidence,
        },
      };
    },

    end() {
      budget.end();
      visits.end();
    },
  };
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

const pageExtension = /\.(?:x?html?|php\d?|aspx?|jsp|cgi|md|txt)$/i;

/** `host/path.md`, with the query as a part of the name. */
export function pathOfPage(address: string, extension: string): string {
  const url = new URL(address);
  const segments = url.pathname.split('/').map(decodedSegment);
  const last = segments.pop() ?? '';
  const query = url.search === '' ? '' : `_${decodedSegment(url.search.slice(1)).replaceAll('/', '_')}`;
  const bare = last.toLowerCase().endsWith(`.${extension}`)
    ? last.slice(0, -extension.length - 1)
    : last.replace(pageExtension, '');
  return safePath([url.host.replace(':', '_'), ...segments, `${bare === '' ? 'index' : bare}${query}.${extension}`]);
}

function decodedSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
