import { reasonWith, type Reason, type Sentence } from '../../kernel/sentences/index.ts';
import { createExclusions, type FrontierRules } from './exclusions.ts';
import { addressOf, keyOf } from './page-address.ts';

/** An address that a crawl has found. */
export type Entry = {
  url: string;
  depth: number;
  /** Where it was found; null for a start URL. */
  from: string | null;
  isSitemap: boolean;
  /** Why it is not fetched. */
  skip?: Reason;
};

/** A link of a page or sitemap; `weak` is the reason why it must not be followed. */
export type Found = { url: string; isSitemap?: boolean; weak?: Reason };

/** A link as it is stored, with the reason why it is not followed; earlier releases stored no sentence. */
export type StoredLink = string | [url: string, weak: string, sentence?: Sentence | null];

/** What a run stores of an item: enough to continue after it. */
export type CrawlNote = {
  /** New addresses; those of sitemaps have a 1. */
  found?: (StoredLink | [url: string, isSitemap: 1])[];
  /** Addresses that the item's content also stands for. */
  claims?: string[];
  /** Hash of the content. */
  digest?: string;
  /** Whether it was left out in favour of its canonical address. */
  favours?: true;
};

/** Addresses that are kept in memory for deduplication. */
const maxSeen = 500_000;

export type Frontier = {
  /**
   * The next address, level by level, so that each has its smallest possible depth. Undefined at the end, and while
   * pages in progress may still find an address that comes earlier.
   */
  next(): Entry | undefined;
  /** Number of addresses found so far. */
  readonly seen: number;
  /** A taken entry will not be settled: it finds nothing more. */
  forget(entry: Entry): void;
  /** Number of addresses left out because too many are in memory. */
  readonly overflow: number;
  /** Adds what a fetched entry found; returns the part that was new. */
  settle(entry: Entry, note: { found?: readonly Found[] } & Omit<CrawlNote, 'found'>): CrawlNote;
  /** Settles an entry by its note of an earlier run. */
  replay(entry: Entry, note: CrawlNote | undefined): void;
  /** Whether an address is fetched as an item of its own. */
  isWanted(url: URL): boolean;
  isSeen(url: URL): boolean;
  /** Whether the item of this address was left out in favour of its canonical address. */
  wasLeftOutFor(url: URL): boolean;
  /** The address that already has this content. */
  findSame(digest: string): string | undefined;
  isInSite(url: URL): boolean;
  /** Why an address is not requested, by the rules that need no request. */
  findExclusion(url: URL): Reason | undefined;
};

export function createFrontier(rules: FrontierRules): Frontier {
  const { isInSite, findExclusion, findSkip } = createExclusions(rules);
  const seen = new Set<string>();
  const skipped = new Set<string>();
  const leftOut = new Set<string>();
  const weak = new Map<string, Entry>();
  const contents = new Map<string, string>();
  const levels: { entries: (Entry | undefined)[]; at: number }[] = [];
  const fetching = new Map<Entry, number>();
  let overflow = 0;

  for (const url of rules.startUrls) add({ url, depth: 0, from: null });

  /** Whether the address is new, or is followed for the first time. */
  function add({
    url: text,
    depth,
    from,
    isSitemap = false,
    weak: whyWeak,
  }: Found & Omit<Entry, 'isSitemap'>): boolean {
    const url = addressOf(text);
    if (url === undefined) return false;
    const key = keyOf(url);
    const isKnown = seen.has(key);
    if (isKnown && (whyWeak !== undefined || !weak.has(key))) return false;
    if (!isKnown && seen.size >= maxSeen) {
      overflow += 1;
      return false;
    }
    seen.add(key);
    const entry: Entry = { url: url.href, depth, from, isSitemap };
    if (whyWeak !== undefined) {
      weak.set(key, { ...entry, skip: whyWeak });
      return true;
    }
    weak.delete(key);
    const skip = findSkip(url, depth, isSitemap);
    if (skip !== undefined) {
      entry.skip = skip;
      skipped.add(key);
    }
    const level = (levels[depth] ??= { entries: [], at: 0 });
    level.entries.push(entry);
    return true;
  }

  function take(): Entry | undefined {
    const lowest = Math.min(...fetching.values());
    for (const [depth, level] of levels.entries()) {
      // Sitemaps add to their own level.
      if (depth > lowest) return undefined;
      const entry = level?.entries[level.at];
      if (level === undefined || entry === undefined) continue;
      level.entries[level.at] = undefined;
      level.at += 1;
      return entry;
    }
    if (fetching.size > 0) return undefined;
    const [first] = weak;
    if (first === undefined) return undefined;
    weak.delete(first[0]);
    return first[1];
  }

  function settle(
    entry: Entry,
    { found = [], claims = [], digest, favours }: { found?: readonly Found[] } & Omit<CrawlNote, 'found'>,
  ): CrawlNote {
    fetching.delete(entry);
    const depth = entry.isSitemap ? entry.depth : entry.depth + 1;
    // First, so that links of the item to itself are not new.
    for (const claim of claims) seen.add(keyOf(new URL(claim)));
    const fresh = found.filter((each) => add({ ...each, depth, from: entry.url }));
    if (digest !== undefined && !contents.has(digest)) contents.set(digest, entry.url);
    if (favours === true) leftOut.add(keyOf(new URL(entry.url)));
    return {
      ...(fresh.length === 0
        ? {}
        : { found: fresh.map((each) => (each.isSitemap === true ? [each.url, 1] : storedLink(each))) }),
      ...(claims.length === 0 ? {} : { claims: [...claims] }),
      ...(digest === undefined ? {} : { digest }),
      ...(favours === true ? { favours } : {}),
    };
  }

  return {
    get seen() {
      return seen.size;
    },
    forget: (entry) => void fetching.delete(entry),
    get overflow() {
      return overflow;
    },
    isInSite,
    findExclusion,
    settle,
    next() {
      const entry = take();
      if (entry === undefined) return undefined;
      if (entry.skip === undefined) fetching.set(entry, entry.depth);
      return entry;
    },
    replay(entry, note) {
      const found = (note?.found ?? []).map((each): Found =>
        isOfSitemap(each) ? { url: each[0], isSitemap: true } : foundIn(each),
      );
      settle(entry, { ...note, found });
    },
    isSeen: (url) => seen.has(keyOf(url)),
    isWanted(url) {
      const key = keyOf(url);
      return seen.has(key) && !skipped.has(key) && !weak.has(key);
    },
    wasLeftOutFor: (url) => leftOut.has(keyOf(url)),
    findSame: (digest) => contents.get(digest),
  };
}

export function storedLink({ url, weak }: Found): StoredLink {
  return weak === undefined ? url : [url, weak.text, weak.sentence];
}

export function foundIn(link: StoredLink): Found {
  if (typeof link === 'string') return { url: link };
  const [url, why, sentence] = link;
  return { url, weak: reasonWith(why, sentence) };
}

function isOfSitemap(link: StoredLink | [url: string, isSitemap: 1]): link is [url: string, isSitemap: 1] {
  return link[1] === 1;
}
