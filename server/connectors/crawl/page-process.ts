// A process that reads web pages and sitemaps, one for each message. It can be killed: hostile pages take any time and memory.
import { gunzipSync } from 'node:zlib';
import { Readability } from '@mozilla/readability';
import { gfm } from '@joplin/turndown-plugin-gfm';
import { XMLParser } from 'fast-xml-parser';
import { parseHTML } from 'linkedom';
import { parse, serialize } from 'parse5';
import TurndownService from 'turndown';

export type PageWork =
  | {
      kind: 'page';
      bytes: Uint8Array;
      url: string;
      charset: string | undefined;
      robotsName: string;
      wantsText: boolean;
    }
  | { kind: 'sitemap'; bytes: Uint8Array };

export type PageLink = { url: string; isNofollow: boolean };

export type ReadPage = {
  title: string | null;
  language: string | null;
  author: string | null;
  publishedAt: string | null;
  /** The main content as Markdown; null if it was not wanted. */
  markdown: string | null;
  /** Whether there is a main content: otherwise the text is that of the whole page. */
  isMain: boolean;
  links: PageLink[];
  /** Links beyond those that are read. */
  linksLeftOut: number;
  canonical: string | null;
  /** Contents of the meta elements for robots. */
  robots: string[];
  tdmReservation: string | null;
  tdmPolicy: string | null;
};

export type ReadSitemap = { pages: string[]; sitemaps: string[]; leftOut: number };

export type PageAnswer = { page: ReadPage } | { sitemap: ReadSitemap } | { problem: string };

const maxLinks = 10_000;
/** What the protocol of sitemaps allows. */
const maxSitemapBytes = 50 * 1024 * 1024;
const maxSitemapUrls = 50_000;

if (process.send !== undefined) {
  process.on('message', (work) => process.send?.(answerTo(work as PageWork)));
  // The service is gone.
  process.on('disconnect', () => process.exit());
}

function answerTo(work: PageWork): PageAnswer {
  try {
    return work.kind === 'page' ? { page: readPage(work) } : { sitemap: readSitemap(work.bytes) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

type Node = {
  textContent: string | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): Node | null;
  querySelectorAll(selector: string): Iterable<Node>;
  remove(): void;
};
type Page = Node & { documentElement: Node | null; body: Node | null; title: string };

function readPage({ bytes, url, charset, robotsName, wantsText }: Extract<PageWork, { kind: 'page' }>): ReadPage {
  // Read as browsers do, and written without what only they understand: missing elements, upper case, fragments.
  const html = serialize(parse(decoded(bytes, charset), { scriptingEnabled: false }));
  const { document } = parseHTML(html) as unknown as { document: Page };
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url;
  const { links, leftOut } = linksOf(document, base);
  const meta = (name: string): string | null =>
    document.querySelector(`meta[name="${name}" i]`)?.getAttribute('content') ?? null;
  const robots: string[] = [];
  for (const name of ['robots', robotsName])
    for (const element of document.querySelectorAll(`meta[name="${name}" i]`))
      robots.push(element.getAttribute('content') ?? '');
  const canonical = document.querySelector('link[rel~="canonical" i][href]')?.getAttribute('href');
  const page: ReadPage = {
    title: document.title.trim() || null,
    language: document.documentElement?.getAttribute('lang') ?? null,
    author: meta('author'),
    publishedAt:
      document.querySelector('meta[property="article:published_time"]')?.getAttribute('content') ?? meta('date'),
    markdown: null,
    isMain: false,
    links,
    linksLeftOut: leftOut,
    canonical: canonical === undefined || canonical === null ? null : (URL.parse(canonical, base)?.href ?? null),
    robots,
    tdmReservation: meta('tdm-reservation'),
    tdmPolicy: meta('tdm-policy'),
  };
  return wantsText ? withText(page, document, html, base) : page;
}

function withText(page: ReadPage, document: Page, html: string, base: string): ReadPage {
  absolute(document, base);
  const article = new Readability(document, {
    maxElemsToParse: 200_000,
    // The language of code is a class.
    keepClasses: true,
  }).parse();
  const title = page.title ?? (article?.title || null);
  const content = article?.content ?? '';
  const isMain = content !== '' && (article?.textContent ?? '').trim() !== '';
  // Readability has changed the document.
  const source = isMain ? content : wholeOf(html, base);
  const text = markdownOf(source);
  const heading = title === null || text.startsWith('# ') ? '' : `# ${title.replaceAll(/\s+/g, ' ')}\n\n`;
  return {
    ...page,
    title,
    author: page.author ?? article?.byline ?? null,
    publishedAt: page.publishedAt ?? article?.publishedTime ?? null,
    language: page.language ?? article?.lang ?? null,
    markdown: `${heading}${text}\n`,
    isMain,
  };
}

function wholeOf(html: string, base: string): string {
  const { document } = parseHTML(html) as unknown as { document: Page };
  for (const element of document.querySelectorAll('script, style, noscript, template, head')) element.remove();
  absolute(document, base);
  return (document.body as unknown as { innerHTML: string } | null)?.innerHTML ?? '';
}

/** Links and pictures of the text lead to where they led on the page. */
function absolute(document: Page, base: string): void {
  for (const [selector, name] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const)
    for (const element of document.querySelectorAll(selector)) {
      const url = URL.parse(element.getAttribute(name) ?? '', base)?.href;
      if (url !== undefined)
        (element as unknown as { setAttribute(n: string, v: string): void }).setAttribute(name, url);
    }
}

function markdownOf(html: string): string {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  turndown.use(gfm);
  return turndown.turndown(html).trim();
}

function linksOf(document: Page, base: string): { links: PageLink[]; leftOut: number } {
  const links = new Map<string, PageLink>();
  let leftOut = 0;
  const add = (text: string | null, rel: string | null): void => {
    if (text === null || text.trim() === '' || text.trim().startsWith('#')) return;
    const target = URL.parse(text.trim(), base);
    if (target === null || (target.protocol !== 'http:' && target.protocol !== 'https:')) return;
    target.hash = '';
    const { href: url } = target;
    const isNofollow = /(?:^|\s)nofollow(?:\s|$)/i.test(rel ?? '');
    const known = links.get(url);
    if (known !== undefined) known.isNofollow &&= isNofollow;
    else if (links.size >= maxLinks) leftOut += 1;
    else links.set(url, { url, isNofollow });
  };
  for (const element of document.querySelectorAll('a[href], area[href]'))
    add(element.getAttribute('href'), element.getAttribute('rel'));
  for (const element of document.querySelectorAll('frame[src], iframe[src]')) add(element.getAttribute('src'), null);
  for (const element of document.querySelectorAll('link[rel~="next" i][href], link[rel~="prev" i][href]'))
    add(element.getAttribute('href'), null);
  for (const element of document.querySelectorAll('meta[http-equiv="refresh" i]'))
    add(
      /^\s*\d+\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(element.getAttribute('content') ?? '')?.[1] ?? null,
      null,
    );
  return { links: [...links.values()], leftOut };
}

/** The text by its byte order mark, the answer's header, or what the page says of itself (HTML, 13.2.3). */
function decoded(bytes: Uint8Array, charset: string | undefined): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 2048)).toString('latin1');
  const mark = start.startsWith('\xfe\xff') ? 'utf-16be' : start.startsWith('\xff\xfe') ? 'utf-16le' : undefined;
  const own = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w:.-]+)/i.exec(start)?.[1];
  const declared = /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1];
  for (const label of [mark, charset, own, declared, 'utf-8']) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label).decode(bytes);
    } catch {
      // An encoding that nobody knows: the next hint.
    }
  }
  return '';
}

const sitemapParser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  isArray: (name) => name === 'url' || name === 'sitemap',
});

type SitemapNode = { loc?: unknown };

/** Sitemaps (sitemaps.org): XML, an index of others, or a text with an address on each line; packed by gzip or not. */
function readSitemap(bytes: Uint8Array): ReadSitemap {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = isPacked ? gunzipSync(bytes, { maxOutputLength: maxSitemapBytes }) : bytes;
  const text = new TextDecoder().decode(plain);
  if (!text.trimStart().startsWith('<')) {
    const lines = text.split(/\r?\n/).filter((line) => /^https?:\/\//i.test(line.trim()));
    if (lines.length === 0) throw new Error('it is no sitemap');
    return cut(lines, []);
  }
  const root = sitemapParser.parse(text) as {
    urlset?: { url?: SitemapNode[] };
    sitemapindex?: { sitemap?: SitemapNode[] };
  };
  if (root.urlset === undefined && root.sitemapindex === undefined) throw new Error('it is no sitemap');
  return cut(locationsOf(root.urlset?.url), locationsOf(root.sitemapindex?.sitemap));
}

function locationsOf(nodes: readonly SitemapNode[] = []): string[] {
  return nodes.flatMap(({ loc }) => (typeof loc === 'string' && loc.trim() !== '' ? [loc.trim()] : []));
}

function cut(pages: string[], sitemaps: string[]): ReadSitemap {
  const leftOut = Math.max(0, pages.length - maxSitemapUrls) + Math.max(0, sitemaps.length - maxSitemapUrls);
  return { pages: pages.slice(0, maxSitemapUrls), sitemaps: sitemaps.slice(0, maxSitemapUrls), leftOut };
}
