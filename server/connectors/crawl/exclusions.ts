import { matchesGlob } from '../../kernel/path-globs.ts';
import type { Reason } from '../../kernel/sentences/index.ts';
import { sourceSentences } from '../sentences.ts';
import { addressOf, findOtherType, findTrap, keyOf, siteOf, type Scope } from './page-address.ts';

export type FrontierRules = {
  startUrls: readonly string[];
  scope: Scope;
  maxDepth: number;
  maxQueryVariants: number;
  documents: boolean;
  include?: readonly string[];
  exclude?: readonly string[];
};

/** The addresses that a crawl leaves out by its configuration. */
export type Exclusions = {
  isInSite(url: URL): boolean;
  /** Why an address is not requested, by the rules that need no request. */
  findExclusion(url: URL): Reason | undefined;
  /** Why a new address is not fetched; counts the addresses that differ only in their query. */
  findSkip(url: URL, depth: number, isSitemap: boolean): Reason | undefined;
};

export function createExclusions(rules: FrontierRules): Exclusions {
  const nowMs = Date.now();
  const sites = new Set<string>();
  const starts = new Set<string>();
  const variants = new Map<string, number>();

  for (const text of rules.startUrls) {
    const url = addressOf(text);
    if (url === undefined) continue;
    sites.add(siteOf(url, rules.scope));
    starts.add(keyOf(url));
  }

  function isInSite(url: URL): boolean {
    return sites.has(siteOf(url, rules.scope));
  }

  function findExclusion(url: URL): Reason | undefined {
    if (!isInSite(url)) return sourceSentences.OTHER_SITE.reason({ host: url.host });
    const path = decodedPath(url);
    const out = (rules.exclude ?? []).find((pattern) => matchesGlob(path, pattern));
    if (out !== undefined) return sourceSentences.EXCLUDED.reason({ pattern: out });
    if (starts.has(keyOf(url))) return undefined;
    const { include = [] } = rules;
    if (include.length > 0 && !include.some((pattern) => matchesGlob(path, pattern)))
      return sourceSentences.NOT_INCLUDED.reason({});
    return findOtherType(url, rules.documents) ?? findTrap(url, nowMs);
  }

  function findSkip(url: URL, depth: number, isSitemap: boolean): Reason | undefined {
    if (isSitemap) return isInSite(url) ? undefined : sourceSentences.OTHER_SITE.reason({ host: url.host });
    const exclusion = findExclusion(url);
    if (exclusion !== undefined) return exclusion;
    if (depth > rules.maxDepth) return sourceSentences.TOO_DEEP.reason({ depth });
    if (url.search === '') return undefined;
    const path = keyOf(new URL(url.pathname, url));
    const count = (variants.get(path) ?? 0) + 1;
    variants.set(path, count);
    return count > rules.maxQueryVariants
      ? sourceSentences.TRAP_QUERIES.reason({ limit: rules.maxQueryVariants })
      : undefined;
  }

  return { isInSite, findExclusion, findSkip };
}

/** A decoded path, the form in which users write patterns. */
function decodedPath({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch {
    return pathname.slice(1);
  }
}
