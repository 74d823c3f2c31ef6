import { createHash } from 'node:crypto';
import { linkTo } from '../link-header.ts';
import type { SourceRequest } from '../http-requests.ts';
import { sourceSentences } from '../sentences.ts';
import type { Share } from './crawl-budget.ts';
import { type Found, type Frontier, storedLink } from './frontier.ts';
import { addressOf, documentTypes } from './page-address.ts';
import type { PageReader } from './page-reader.ts';
import type { PageRequests } from './page-requests.ts';
import type { ReadPage } from './page-process.ts';
import type { Evidence, VisitRequest, PageStamp, Visit, VisitConfig } from './page-visit.ts';
import { directivesOf, headerRobots, isReservedBy } from './robots-directives.ts';

/** A successful answer, before its body is read. */
export type Received = { call: SourceRequest; answer: Response; share: Share; evidence: Evidence };

/** Reads the content of answers: a page, another file, or a sitemap. */
export type PageContents = {
  read(page: VisitRequest, received: Received): Promise<Visit>;
  readSitemap(page: VisitRequest, received: Received): Promise<Visit>;
  /** The sitemaps to read after a start page: those that robots.txt names, or the usual location. */
  sitemapsOf(page: VisitRequest): Found[];
};

const maxStampBytes = 64 * 1024;
const extensions = { MARKDOWN: 'md', JSONL: 'jsonl', HTML: 'html' } as const;

export function createPageContents(
  config: VisitConfig,
  { requests, reader, frontier }: { requests: PageRequests; reader: PageReader; frontier: Pick<Frontier, 'isInSite'> },
): PageContents {
  const { robotsName } = requests;

  function sitemapsOf({ entry, url, rules }: VisitRequest): Found[] {
    if (!config.sitemaps || entry.depth > 0 || config.maxDepth === 0) return [];
    const named = rules.sitemaps.length > 0 ? rules.sitemaps : [`${url.origin}/sitemap.xml`];
    return named.map((text): Found => ({ url: text, isSitemap: true }));
  }

  function pageVisit(page: VisitRequest, received: Received, bytes: Buffer, read: ReadPage): Visit {
    const { entry, url } = page;
    const { answer } = received;
    const directives = directivesOf([...headerRobots(answer, robotsName), ...read.robots]);
    const found = foundOn(url, read, directives.has('nofollow') || directives.has('none'));
    const evidence = { ...received.evidence, ...evidenceOf(config.format, read) };
    const content = contentOf(config.format, { url: url.href, bytes, read });
    const canonicalText = read.canonical ?? linkTo('canonical', answer.headers.get('link'), url.href);
    const canonical = canonicalText === undefined ? undefined : addressOf(canonicalText, url.href);
    const links = found.map(storedLink);
    const visit = visitOf(config, page, received, { content, extension: extensions[config.format], evidence, links });
    const isLeftOut = directives.has('noindex') || directives.has('none');
    return {
      ...visit,
      ...(isLeftOut ? { result: { kind: 'dropped', reason: sourceSentences.NOINDEX_PAGE.reason({}) } } : {}),
      found: [...found, ...sitemapsOf(page)],
      ...(canonical === undefined || !frontier.isInSite(canonical) ? {} : { canonical }),
      finalUrl: url.href,
      evidence: { ...evidence, ...(entry.url === url.href ? {} : { finalUrl: url.href }) },
    };
  }

  function fileVisit(page: VisitRequest, received: Received, bytes: Buffer, extension: string): Visit {
    const directives = directivesOf(headerRobots(received.answer, robotsName));
    const isRow = config.format === 'JSONL' && (extension === 'txt' || extension === 'md');
    const content = isRow ? rowOf({ url: page.url.href, text: new TextDecoder().decode(bytes) }) : bytes;
    const visit = visitOf(config, page, received, {
      content,
      extension: isRow ? 'jsonl' : extension,
      evidence: received.evidence,
      links: [],
    });
    const isLeftOut = directives.has('noindex') || directives.has('none');
    return {
      ...visit,
      ...(isLeftOut ? { result: { kind: 'dropped', reason: sourceSentences.NOINDEX_FILE.reason({}) } } : {}),
      finalUrl: page.url.href,
    };
  }

  return {
    async read(page, received) {
      const { url, signal } = page;
      const { call, answer, share, evidence } = received;
      const contentType = answer.headers.get('content-type') ?? '';
      const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
      const isText = type === 'text/plain' || type === 'text/markdown' || type === 'text/x-markdown';
      const extension = config.documents ? documentTypes[type] : undefined;
      const isPage = type === 'text/html' || type === 'application/xhtml+xml';
      if (type !== '' && !isPage && !isText && extension === undefined) {
        await requests.discard(answer, share);
        return {
          result: { kind: 'dropped', reason: sourceSentences.OTHER_TYPE.reason({ type }) },
          evidence,
          found: [],
        };
      }
      const bytes = await requests.readBody(call, answer, { share });
      const charset = /charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType)?.[1];
      if (isPage || (type === '' && looksLikeHtml(bytes))) {
        const wantsText = config.format !== 'HTML';
        const read = await reader.readPage({ bytes, url: url.href, charset, robotsName, wantsText }, signal);
        return pageVisit(page, received, bytes, read);
      }
      if (type === '')
        return {
          result: { kind: 'dropped', reason: sourceSentences.OTHER_TYPE.reason({ type: 'unknown' }) },
          evidence,
          found: [],
        };
      return fileVisit(page, received, bytes, extension ?? (type === 'text/plain' ? 'txt' : 'md'));
    },
    async readSitemap({ signal }, { call, answer, share, evidence }) {
      const bytes = await requests.readBody(call, answer, { share });
      const { pages, sitemaps, leftOut } = await reader.readSitemap(bytes, signal);
      const found = [
        ...sitemaps.map((url): Found => ({ url, isSitemap: true })),
        ...pages.map((url): Found => ({ url })),
      ];
      const reason = sourceSentences.SITEMAP_HAS.reason({ count: found.length });
      return { result: { kind: 'dropped', reason }, evidence: { ...evidence, addressesLeftOut: leftOut }, found };
    },
    sitemapsOf,
  };
}

/** The result for an address with this content, with a stamp for later runs. */
function visitOf(
  config: VisitConfig,
  { entry, url, stamp }: VisitRequest,
  { answer, evidence: received }: Received,
  {
    content,
    extension,
    evidence,
    links,
  }: { content: Buffer; extension: string; evidence: Evidence; links: NonNullable<PageStamp['links']> },
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
      result: { kind: 'dropped', reason: sourceSentences.MINING_RESERVED.reason({}) },
      evidence,
      found: [],
    };
  const isSame = stamp !== undefined && stamp.format === config.format && stamp.digest === digest;
  return {
    result: isSame
      ? { kind: 'unchanged', reason: sourceSentences.UNCHANGED_CONTENT.reason({}) }
      : { kind: 'kept', bytes: content, extension },
    evidence,
    stamp: newStamp,
    digest,
    found: [],
  };
}

function foundOn(url: URL, { links }: ReadPage, isNofollow: boolean): Found[] {
  // Shared by all links of the page: a crawl holds up to half a million.
  const ofPage = sourceSentences.NOFOLLOW_PAGE.reason({ url: url.href });
  const ofLink = sourceSentences.NOFOLLOW_LINK.reason({ url: url.href });
  return links.map(({ url: link, isNofollow: isWeak }): Found => {
    if (isNofollow) return { url: link, weak: ofPage };
    return isWeak ? { url: link, weak: ofLink } : { url: link };
  });
}

function evidenceOf(format: VisitConfig['format'], read: ReadPage): Evidence {
  return {
    title: read.title,
    ...(read.canonical === null ? {} : { canonicalUrl: read.canonical }),
    ...(read.robots.length === 0 ? {} : { metaRobots: read.robots.join(', ') }),
    ...(read.tdmReservation === null ? {} : { metaTdmReservation: read.tdmReservation }),
    ...(read.tdmPolicy === null ? {} : { metaTdmPolicy: read.tdmPolicy }),
    ...(format === 'HTML' ? {} : { mainContent: read.isMain }),
    ...(read.linksLeftOut === 0 ? {} : { linksLeftOut: read.linksLeftOut }),
  };
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
