import type { Reason } from '../../kernel/sentences/index.ts';
import type { HttpConfig } from '../http-fields.ts';
import type { Entry, Found, StoredLink } from './frontier.ts';
import type { OriginRules } from './origin-rules.ts';

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

/** What a later run compares the page with. */
export type PageStamp = {
  url: string;
  format: string;
  etag: string | null;
  lastModified: string | null;
  digest: string;
  /** The page's links, so that they are followed even if it is unchanged; omitted if there are too many. */
  links?: StoredLink[];
};

export type Evidence = Readonly<Record<string, unknown>>;

/** The result for an address. */
export type Visit = {
  result:
    | { kind: 'kept'; bytes: Buffer; extension: string }
    /** `byBudget`: the budget of the crawl left it out. */
    | { kind: 'unchanged' | 'dropped' | 'failed'; reason: Reason; byBudget?: true };
  evidence?: Evidence;
  stamp?: PageStamp;
  found: Found[];
  /** The address at the end of redirects. */
  finalUrl?: string;
  canonical?: URL;
  digest?: string;
};

/** One request of a visit. */
export type VisitRequest = {
  entry: Entry;
  /** The address of the entry, or one that it redirects to. */
  url: URL;
  stamp: PageStamp | undefined;
  /** The origin's rules for the address. */
  said: Evidence;
  rules: OriginRules;
  signal: AbortSignal;
};
