import { createHash } from 'node:crypto';
import { SourceError } from './connector.ts';
import { timeOf } from './feed-dates.ts';
import { childrenOf, hasElements, markupOf, parseFeed, plainText, type FeedNode } from './feed-tree.ts';
import { sourceSentences } from './sentences.ts';

/** A file that an entry brings along, such as a podcast's sound. */
export type Enclosure = { url: string; type: string | null; sizeBytes: number | null };

/** An entry of a feed, with the same fields for all formats. */
export type FeedEntry = {
  id: string;
  title: string | null;
  link: string | null;
  author: string | null;
  publishedAt: string | null;
  updatedAt: string | null;
  summary: string | null;
  content: string | null;
  categories: string[];
  /** All authors, in Atom those of the feed if the entry has none. */
  authors: string[];
  enclosures: Enclosure[];
};

/** The entries of a feed; `url` is its address. Throws SourceError. */
export function entriesOf(xml: string, url?: string): FeedEntry[] {
  if (!/<\/[^<>\s]+\s*>\s*(?:<!--[^]*-->\s*|<\?[^<>]*\?>\s*)*$/.test(xml.slice(-4000)))
    throw new SourceError(sourceSentences.FEED_CUT_OFF.reason({}));
  const root = parseFeed(xml, url);
  if (root === undefined) throw new SourceError(sourceSentences.FEED_OTHERWISE.reason({ element: '' }));
  switch (root.name) {
    case 'feed':
      return childrenOf(root, 'entry').map((entry) => atomEntry(entry, root));
    case 'RDF':
      return root.children.flatMap((child) => (isNamed(child, 'item') ? [rssEntry(child)] : []));
    case 'rss':
      return [root, ...childrenOf(root, 'channel')].flatMap((each) => childrenOf(each, 'item')).map(rssEntry);
  }
  throw new SourceError(sourceSentences.FEED_OTHERWISE.reason({ element: root.tag }));
}

function isNamed(child: FeedNode | string, name: string): child is FeedNode {
  return typeof child === 'object' && child.name === name;
}

function rssEntry(item: FeedNode): FeedEntry {
  const [link] = childrenOf(item, 'link');
  const authors = distinct([
    ...textsOf(item, 'author'),
    ...textsOf(item, 'creator', 'dc'),
    ...textsOf(item, 'author', 'itunes'),
  ]);
  const fields = {
    title: titleOf(item),
    link: (link === undefined ? null : resolved(textIn(link), link.base)) ?? atomLink(item, 'atom') ?? aboutOf(item),
    author: authors[0] ?? null,
    publishedAt: timeOf(textOf(item, 'pubDate') ?? textOf(item, 'date', 'dc')),
    updatedAt: null,
    summary: contentOf(item, 'description'),
    content: contentOf(item, 'encoded', 'content') ?? contentOf(item, 'body', 'xhtml'),
    categories: textsOf(item, 'category'),
  };
  const id = textOf(item, 'guid') ?? fields.link ?? hashOf(JSON.stringify(fields));
  return { id, ...fields, authors, enclosures: enclosuresOf(item) };
}

function atomEntry(entry: FeedNode, feed: FeedNode): FeedEntry {
  const owners = [entry, ...childrenOf(entry, 'source'), feed];
  const authors = owners.map(peopleOf).find((people) => people.length > 0) ?? [];
  const fields = {
    title: titleOf(entry),
    link: atomLink(entry, entry.space),
    author: authors[0] ?? null,
    publishedAt: timeOf(textOf(entry, 'published') ?? textOf(entry, 'issued')),
    updatedAt: timeOf(textOf(entry, 'updated') ?? textOf(entry, 'modified')),
    summary: contentOf(entry, 'summary'),
    content: contentOf(entry, 'content'),
    categories: childrenOf(entry, 'category').flatMap((each) => each.attributes['term'] ?? []),
  };
  const id = textOf(entry, 'id') ?? fields.link ?? hashOf(JSON.stringify(fields));
  return { id, ...fields, authors, enclosures: enclosuresOf(entry) };
}

function peopleOf(node: FeedNode): string[] {
  const people = childrenOf(node, 'author').flatMap(
    (each) => textOf(each, 'name') ?? textOf(each, 'email') ?? textOf(each, 'uri') ?? [],
  );
  return distinct([...people, ...textsOf(node, 'creator', 'dc')]);
}

/** The page of an entry: its first link of the relation `alternate`, else its first. */
function atomLink(node: FeedNode, space: string): string | null {
  const links = childrenOf(node, 'link', space);
  const link = links.find(({ attributes }) => (attributes['rel'] ?? 'alternate') === 'alternate') ?? links[0];
  return link === undefined ? null : resolved(link.attributes['href'] ?? null, link.base);
}

function aboutOf({ attributes, base }: FeedNode): string | null {
  const about = Object.entries(attributes).find(([name]) => name.endsWith(':about'));
  return resolved(about?.[1] ?? null, base);
}

function enclosuresOf(entry: FeedNode): Enclosure[] {
  const media = [entry, ...childrenOf(entry, 'group', 'media')].flatMap((each) => childrenOf(each, 'content', 'media'));
  const links = ['atom', entry.space].flatMap((space) => childrenOf(entry, 'link', space));
  const found = [
    ...childrenOf(entry, 'enclosure').map((each) => enclosureOf(each, 'url', 'length')),
    ...links
      .filter(({ attributes }) => attributes['rel'] === 'enclosure')
      .map((each) => enclosureOf(each, 'href', 'length')),
    ...media.map((each) => enclosureOf(each, 'url', 'fileSize')),
  ].filter((each) => each !== undefined);
  return found.filter(({ url }, at) => found.findIndex((other) => other.url === url) === at);
}

function enclosureOf({ attributes, base }: FeedNode, urlName: string, sizeName: string): Enclosure | undefined {
  const url = resolved(attributes[urlName] ?? null, base);
  if (url === null) return undefined;
  const size = attributes[sizeName]?.trim() ?? '';
  return { url, type: attributes['type'] ?? null, sizeBytes: /^\d{1,15}$/.test(size) ? Number(size) : null };
}

/** A title as plain text; in HTML that is escaped, the markup stays. */
function titleOf(node: FeedNode): string | null {
  const [title] = childrenOf(node, 'title');
  if (title === undefined) return null;
  return hasElements(title) ? filled(plainText(title).replaceAll(/\s+/g, ' ')) : textIn(title);
}

function contentOf(node: FeedNode, name: string, space?: string): string | null {
  const [found] = childrenOf(node, name, space);
  return found === undefined ? null : filled(markupOf(found));
}

function textsOf(node: FeedNode, name: string, space?: string): string[] {
  return childrenOf(node, name, space).flatMap((each) => textIn(each) ?? []);
}

function textOf(node: FeedNode, name: string, space?: string): string | null {
  const [found] = childrenOf(node, name, space);
  return found === undefined ? null : textIn(found);
}

function textIn(node: FeedNode): string | null {
  return filled(plainText(node));
}

function filled(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** A reference as a URL; unchanged if it can not be resolved. */
function resolved(reference: string | null, base: string | undefined): string | null {
  const text = filled(reference ?? '');
  if (text === null || /^[a-z][a-z\d+.-]*:/i.test(text)) return text;
  return URL.parse(text, base)?.href ?? text;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

export function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('base64url').slice(0, 16);
}
