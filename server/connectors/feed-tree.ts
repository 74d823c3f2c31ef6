import { decodeHTMLStrict } from 'entities';
import { XMLParser } from 'fast-xml-parser';

/** An element of a feed; `space` is the short name of a known namespace, else its URI, and empty without one. */
export type FeedNode = {
  space: string;
  name: string;
  /** The name as it is written. */
  tag: string;
  attributes: Readonly<Record<string, string>>;
  children: readonly (FeedNode | string)[];
  /** The address that relative references in the element are resolved against. */
  base: string | undefined;
};

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  attributesGroupName: false,
  textNodeName: '#text',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  // All HTML entities; entities that the feed itself declares stay as they are.
  entityDecoder: {
    decode: decodeHTMLStrict,
    reset: () => undefined,
    setExternalEntities: () => undefined,
    addInputEntities: () => undefined,
    setXmlVersion: () => undefined,
  },
});

const spaces: Readonly<Record<string, string>> = {
  'http://www.w3.org/2005/atom': 'atom',
  'http://purl.org/atom/ns#': 'atom',
  'http://purl.org/dc/elements/1.1': 'dc',
  'http://purl.org/rss/1.0/modules/content': 'content',
  'http://search.yahoo.com/mrss': 'media',
  'http://www.itunes.com/dtds/podcast-1.0.dtd': 'itunes',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#': 'rdf',
  'http://www.w3.org/1999/xhtml': 'xhtml',
};

type Scope = ReadonlyMap<string, string>;
type Parsed = Readonly<Record<string, unknown>>;

/** The root of a feed; undefined if there is none. `url` is its address. */
export function parseFeed(xml: string, url: string | undefined): FeedNode | undefined {
  const nodes = (parser.parse(xml) as Parsed[]).map((each) => nodeOf(each, new Map(), url));
  return nodes.find((node): node is FeedNode => typeof node === 'object');
}

function nodeOf(parsed: Parsed, outer: Scope, outerBase: string | undefined): FeedNode | string | undefined {
  const tag = Object.keys(parsed).find((key) => key !== ':@') ?? '';
  const content = parsed[tag];
  if (tag === '#text') return String(content);
  if (tag.startsWith('?') || !Array.isArray(content)) return undefined;
  const attributes = (parsed[':@'] ?? {}) as Readonly<Record<string, string>>;
  const scope = scopeOf(attributes, outer);
  const given = attributes['xml:base'];
  const base = given === undefined ? outerBase : (URL.parse(given.trim(), outerBase)?.href ?? outerBase);
  const [prefix, name] = tag.includes(':') ? (tag.split(':', 2) as [string, string]) : ['', tag];
  const children = (content as Parsed[]).flatMap((each) => nodeOf(each, scope, base) ?? []);
  // A prefix that the feed does not declare means what it usually means.
  return { space: scope.get(prefix) ?? prefix, name, tag, attributes, children, base };
}

function scopeOf(attributes: Readonly<Record<string, string>>, outer: Scope): Scope {
  const declared = Object.entries(attributes).flatMap(([name, uri]): [string, string][] => {
    const [, prefix] = /^xmlns(?::(.+))?$/.exec(name) ?? [];
    if (!name.startsWith('xmlns')) return [];
    const key = uri.trim().toLowerCase().replace(/\/$/, '');
    return [[prefix ?? '', spaces[key] ?? uri.trim()]];
  });
  return declared.length === 0 ? outer : new Map([...outer, ...declared]);
}

/** The elements of a name in an element, by default of its own namespace. */
export function childrenOf(node: FeedNode, name: string, space = node.space): FeedNode[] {
  return node.children.filter(
    (child): child is FeedNode => typeof child === 'object' && child.name === name && child.space === space,
  );
}

/** The text of an element and all in it. */
export function plainText(node: FeedNode): string {
  return node.children.map((child) => (typeof child === 'string' ? child : plainText(child))).join('');
}

/** What is in an element: its text, or, if there are elements in it, their markup. */
export function markupOf(node: FeedNode): string {
  return hasElements(node) ? node.children.map(written).join('') : plainText(node);
}

export function hasElements(node: FeedNode): boolean {
  return node.children.some((child) => typeof child === 'object');
}

function written(child: FeedNode | string): string {
  if (typeof child === 'string') return escaped(child);
  const { attributes, children, tag } = child;
  const pairs = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${escaped(value).replaceAll('"', '&quot;')}"`,
  );
  const inner = children.map(written).join('');
  return inner === '' ? `<${tag}${pairs.join('')}/>` : `<${tag}${pairs.join('')}>${inner}</${tag}>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
