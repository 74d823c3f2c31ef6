// A process that reads web pages and sitemaps, one per message. It can be killed: a hostile page may take unlimited
// time and memory.
import { gunzipSync } from 'node:zlib';
import { gfm } from '@joplin/turndown-plugin-gfm';
import { XMLParser } from 'fast-xml-parser';
import { parse, serialize, type DefaultTreeAdapterTypes } from 'parse5';
import TurndownService from 'turndown';
import { mainContentOf, type HtmlElement } from '../../html/index.ts';
import { endWithParent } from '../../processes/child-limits.ts';

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
  /** The main content as Markdown; null if not requested. */
  markdown: string | null;
  /** Whether a main content was found; otherwise the text is that of the whole page. */
  isMain: boolean;
  links: PageLink[];
  /** Number of links beyond the limit. */
  linksLeftOut: number;
  canonical: string | null;
  /** Contents of the robots meta elements. */
  robots: string[];
  tdmReservation: string | null;
  tdmPolicy: string | null;
};

export type ReadSitemap = { pages: string[]; sitemaps: string[]; leftOut: number };

export type PageAnswer = { page: ReadPage } | { sitemap: ReadSitemap } | { problem: string };

const maxLinks = 10_000;
/** Limits of the sitemap protocol. */
const maxSitemapBytes = 50 * 1024 * 1024;
const maxSitemapUrls = 50_000;

if (process.send !== undefined) {
  process.on('message', (work) => process.send?.(answerTo(work as PageWork)));
  endWithParent();
}

function answerTo(work: PageWork): PageAnswer {
  try {
    return work.kind === 'page' ? { page: readPage(work) } : { sitemap: readSitemap(work.bytes) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

type Page = DefaultTreeAdapterTypes.Document;
type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** All elements of a page, in document order. */
function* elementsIn(parent: { childNodes: readonly Node[] }): Generator<Element> {
  // An explicit stack: a page may be nested deeper than the call stack allows.
  const waiting = parent.childNodes.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!('tagName' in node)) continue;
    yield node;
    for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
}

function attributeOf({ attrs }: Element, name: string): string | null {
  return attrs.find((attribute) => attribute.name === name)?.value ?? null;
}

function textOf(element: Element): string {
  return element.childNodes.map((node) => ('value' in node ? node.value : '')).join('');
}

function hasWord(list: string | null, word: string): boolean {
  return list !== null && list.toLowerCase().split(/\s+/).includes(word);
}

function readPage({ bytes, url, charset, robotsName, wantsText }: Extract<PageWork, { kind: 'page' }>): ReadPage {
  // Parsed as browsers do: missing elements, upper case, fragments.
  const document = parse(decoded(bytes, charset), { scriptingEnabled: false });
  const elements = [...elementsIn(document)];
  const named = (...names: string[]): Element[] => elements.filter(({ tagName }) => names.includes(tagName));
  const baseElement = named('base').find((element) => attributeOf(element, 'href') !== null);
  const base = URL.parse(baseElement === undefined ? '' : (attributeOf(baseElement, 'href') ?? ''), url)?.href ?? url;
  const { links, leftOut } = linksOf(elements, base);
  const metas = named('meta');
  const contentsOf = (name: string, attribute = 'name'): string[] =>
    metas
      .filter((element) => attributeOf(element, attribute)?.toLowerCase() === name.toLowerCase())
      .map((element) => attributeOf(element, 'content') ?? '');
  const meta = (name: string): string | null => contentsOf(name)[0] ?? null;
  const canonical = named('link')
    .filter((element) => hasWord(attributeOf(element, 'rel'), 'canonical'))
    .map((element) => attributeOf(element, 'href'))
    .find((href) => href !== null);
  const titleElement = named('title')[0];
  const page: ReadPage = {
    title: (titleElement === undefined ? '' : textOf(titleElement)).trim() || null,
    language: attributeOf(named('html')[0] ?? noElement, 'lang'),
    author: meta('author'),
    publishedAt: contentsOf('article:published_time', 'property')[0] ?? meta('date'),
    markdown: null,
    isMain: false,
    links,
    linksLeftOut: leftOut,
    canonical: canonical === undefined ? null : (URL.parse(canonical, base)?.href ?? null),
    robots: [...new Set(['robots', robotsName])].flatMap((name) => contentsOf(name)),
    tdmReservation: meta('tdm-reservation'),
    tdmPolicy: meta('tdm-policy'),
  };
  return wantsText ? withText(page, document, elements, base) : page;
}

const noElement = { attrs: [] } as unknown as Element;

function withText(page: ReadPage, document: Page, elements: readonly Element[], base: string): ReadPage {
  absolute(elements, base);
  const isMain = keepMain(document);
  const body = [...elementsIn(document)].find(({ tagName }) => tagName === 'body');
  for (const element of elements) if (unread.has(element.tagName)) remove(element);
  const text = body === undefined ? '' : markdownOf(serialize(body));
  const heading = page.title === null || text.startsWith('# ') ? '' : `# ${page.title.replaceAll(/\s+/g, ' ')}\n\n`;
  return { ...page, markdown: `${heading}${text}\n`, isMain };
}

const unread = new Set(['script', 'style', 'noscript', 'template', 'head']);

function remove(node: Node): void {
  const siblings = node.parentNode?.childNodes;
  const at = siblings?.indexOf(node) ?? -1;
  if (at !== -1) siblings?.splice(at, 1);
}

/** Removes everything but the main content. Returns false, and leaves the page whole, if there is no text in it. */
function keepMain(document: Page): boolean {
  const nodes = new Map<HtmlElement, Element>();
  const { root, skips, level } = mainContentOf(treeOf(document, nodes));
  if (level === 'WHOLE' || !hasText(root, skips)) return false;
  const leaveOut = (element: HtmlElement): void => {
    for (const child of element.children) {
      if (typeof child === 'string') continue;
      const node = nodes.get(child);
      if (node !== undefined && skips(child)) remove(node);
      else leaveOut(child);
    }
  };
  leaveOut(root);
  const main = nodes.get(root);
  const body = [...nodes.values()].find(({ tagName }) => tagName === 'body');
  if (main !== undefined && body !== undefined && main !== body && main.tagName !== 'html') {
    remove(main);
    main.parentNode = body;
    body.childNodes = [main];
  }
  return true;
}

function hasText(element: HtmlElement, skips: (element: HtmlElement) => boolean): boolean {
  return element.children.some((child) =>
    typeof child === 'string' ? child.trim() !== '' : !skips(child) && hasText(child, skips),
  );
}

/** Deeper elements are dropped, which bounds the recursion over the tree. */
const maxDepth = 400;

/** The page in the form that the search for the main content takes; `nodes` maps its elements to those of the page. */
function treeOf(document: Page, nodes: Map<HtmlElement, Element>): HtmlElement {
  const convert = (childNodes: readonly Node[], depth: number): HtmlElement['children'] =>
    childNodes.flatMap((node): HtmlElement['children'] => {
      if (node.nodeName === '#text' && 'value' in node) return [node.value];
      if (!('tagName' in node) || depth > maxDepth) return [];
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
      const element = { name: node.tagName, attributes, children: convert(node.childNodes, depth + 1) };
      nodes.set(element, node);
      return [element];
    });
  return { name: '', attributes: {}, children: convert(document.childNodes, 0) };
}

/** Makes the URLs of links and pictures absolute. */
function absolute(elements: readonly Element[], base: string): void {
  for (const { tagName, attrs } of elements) {
    const name = tagName === 'a' ? 'href' : tagName === 'img' ? 'src' : undefined;
    const attribute = attrs.find((one) => one.name === name);
    const url = attribute === undefined ? undefined : URL.parse(attribute.value, base)?.href;
    if (attribute !== undefined && url !== undefined) attribute.value = url;
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

function linksOf(elements: readonly Element[], base: string): { links: PageLink[]; leftOut: number } {
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
  for (const element of elements) {
    const { tagName } = element;
    const rel = attributeOf(element, 'rel');
    if (tagName === 'a' || tagName === 'area') add(attributeOf(element, 'href'), rel);
    else if (tagName === 'frame' || tagName === 'iframe') add(attributeOf(element, 'src'), null);
    else if (tagName === 'link' && (hasWord(rel, 'next') || hasWord(rel, 'prev')))
      add(attributeOf(element, 'href'), null);
    else if (tagName === 'meta' && attributeOf(element, 'http-equiv')?.toLowerCase() === 'refresh')
      add(
        /^\s*\d+\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(attributeOf(element, 'content') ?? '')?.[1] ?? null,
        null,
      );
  }
  return { links: [...links.values()], leftOut };
}

/** Byte order marks and their encodings. */
const marks = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xfe\xff', 'utf-16be'],
  ['\xff\xfe', 'utf-16le'],
] as const;

/** The text, decoded by its byte order mark, the answer's header, or the page's own declaration (HTML, 13.2.3). */
function decoded(bytes: Uint8Array, charset: string | undefined): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 2048)).toString('latin1');
  const mark = marks.find(([bytesOfMark]) => start.startsWith(bytesOfMark))?.[1];
  const own = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w:.-]+)/i.exec(start)?.[1];
  const declared = /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1];
  for (const label of [mark, charset, own, declared, 'utf-8']) {
    if (label === undefined) continue;
    try {
      return new TextDecoder(label).decode(bytes);
    } catch {
      // An unknown encoding: try the next one.
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

/** Reads a sitemap (sitemaps.org): XML, an index of sitemaps, or text with one address per line; gzipped or not. */
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
