import { createHash } from 'node:crypto';
import { decodeHTMLStrict } from 'entities';
import { XMLParser } from 'fast-xml-parser';
import { Type } from 'typebox';
import { decodedBytes } from './content-encoding.ts';
import { defineConnector, SourceError, type Effects, type RowBatch, type RowSet } from './connector.ts';
import { findHttpProblem, findUrlProblem, headersOf, httpFields, type HttpConfig } from './http-fields.ts';
import { authorizationOf, request } from './http-requests.ts';
import { safePath } from './safe-path.ts';
import { sourceSentences } from './sentences.ts';

const maxFeedBytes = 64 * 1024 * 1024;
/** Number of remembered entries: far more than a feed shows at once. */
const maxKnown = 5000;

type Config = HttpConfig & { url: string; fileName?: string };

/** An entry of a feed, with the same fields for all formats. */
type Entry = {
  id: string;
  title: string | null;
  link: string | null;
  author: string | null;
  publishedAt: string | null;
  updatedAt: string | null;
  summary: string | null;
  content: string | null;
  categories: string[];
};

/** Hashes of known entries by the hash of their id, newest last. */
type Known = { entries: [id: string, content: string][] };

export const rss = defineConnector({
  type: 'rss',
  name: 'RSS or Atom feed',
  description:
    'Reads the entries of a feed (RSS 0.9 to 2.0, Atom) as rows. Later runs add only new or changed entries; entries that the feed no longer lists stay in the dataset.',
  incremental: true,
  config: Type.Object({
    url: Type.String({ minLength: 1, maxLength: 4000, description: 'URL of the feed' }),
    fileName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Name of the folder in the dataset; default: the host name',
      }),
    ),
    ...httpFields,
  }),

  validate(config) {
    const problem = findUrlProblem(config.url);
    return problem === undefined ? findHttpProblem(config) : { field: 'url', problem };
  },

  destinationsOf: ({ url }) => [URL.parse(url)?.origin ?? url],

  async check(config, effects) {
    const entries = await readFeed(config, effects);
    const sample = entries.slice(0, 5).map(({ id, title, publishedAt, link }) => ({ id, title, publishedAt, link }));
    return { message: `The feed can be read; entries: ${entries.length}`, sample };
  },

  async *read(config, effects) {
    const set: RowSet = {
      kind: 'rows',
      key: config.url,
      name: config.url,
      path: safePath([config.fileName ?? new URL(config.url).hostname]),
      isIncremental: true,
      read: (position) => readEntries(config, effects, position as Known | undefined),
    };
    yield set;
  },
});

async function* readEntries(config: Config, effects: Effects, before: Known | undefined): AsyncGenerator<RowBatch> {
  const known = new Map(before?.entries);
  const lines: string[] = [];
  for (const entry of await readFeed(config, effects)) {
    const line = JSON.stringify(entry);
    const [id, content] = [hashOf(entry.id), hashOf(line)];
    const isKnown = known.get(id) === content;
    // Moved to the end: entries that the feed still shows are forgotten last.
    known.delete(id);
    known.set(id, content);
    if (!isKnown) lines.push(line);
  }
  const position: Known = { entries: [...known].slice(-maxKnown) };
  yield { lines: Buffer.from(lines.map((line) => `${line}\n`).join('')), rows: lines.length, position };
}

async function readFeed(config: Config, effects: Effects): Promise<Entry[]> {
  const answer = await request(effects, {
    url: config.url,
    headers: { ...headersOf(config), ...authorizationOf(config) },
    maxBytes: maxFeedBytes,
    totalMs: 120_000,
    signal: effects.signal,
  });
  const text = decoded(await decodedBytes(answer, maxFeedBytes), answer.headers.get('content-type'));
  try {
    return entriesOf(text);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(sourceSentences.FEED_UNREADABLE.reason({ url: config.url, why: (error as Error).message }), {
      cause: error,
    });
  }
}

/** Decodes the text by its XML declaration, by the answer's header, or as UTF-8. */
function decoded(bytes: Buffer, contentType: string | null): string {
  const declared = /^[^>]{0,200}?encoding=["']([\w-]+)["']/.exec(bytes.subarray(0, 200).toString('latin1'))?.[1];
  const sent = /charset="?([\w-]+)/i.exec(contentType ?? '')?.[1];
  try {
    return new TextDecoder(sent ?? declared ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  textNodeName: '#text',
  parseTagValue: false,
  parseAttributeValue: false,
  // All HTML entities; entities that the feed itself declares stay as they are.
  entityDecoder: {
    decode: decodeHTMLStrict,
    reset: () => undefined,
    setExternalEntities: () => undefined,
    addInputEntities: () => undefined,
    setXmlVersion: () => undefined,
  },
  // XHTML content is kept as written.
  stopNodes: ['*.content', '*.summary'],
});

type Node = Readonly<Record<string, unknown>>;

export function entriesOf(xml: string): Entry[] {
  if (!/<\/[\w:]+>\s*(?:<!--[\s\S]*-->\s*)?$/.test(xml.slice(-4000)))
    throw new SourceError(sourceSentences.FEED_CUT_OFF.reason({}));
  const root = parser.parse(xml) as Node;
  const feed = nodeOf(root['feed']);
  if (feed !== undefined) return nodesOf(feed['entry']).map(atomEntry);
  const rdf = nodeOf(root['rdf:RDF']);
  if (rdf !== undefined) return nodesOf(rdf['item']).map(rssEntry);
  const channel = nodeOf(nodeOf(root['rss'])?.['channel']);
  if (channel !== undefined) return nodesOf(channel['item']).map(rssEntry);
  throw new SourceError(
    sourceSentences.FEED_OTHERWISE.reason({ element: Object.keys(root).find((name) => !name.startsWith('?')) ?? '' }),
  );
}

function rssEntry(item: Node): Entry {
  const entry = {
    title: textOf(item['title']),
    link: textOf(item['link']) ?? attributeOf(item, 'rdf:about'),
    author: textOf(item['author']) ?? textOf(item['dc:creator']),
    publishedAt: timeOf(textOf(item['pubDate']) ?? textOf(item['dc:date'])),
    updatedAt: null,
    summary: textOf(item['description']),
    content: textOf(item['content:encoded']),
    categories: listOf(item['category']).flatMap((each) => textOf(each) ?? []),
  };
  return { id: textOf(item['guid']) ?? entry.link ?? hashOf(JSON.stringify(entry)), ...entry };
}

function atomEntry(item: Node): Entry {
  const links = nodesOf(item['link']);
  const link = links.find((each) => (attributeOf(each, 'rel') ?? 'alternate') === 'alternate') ?? links[0];
  const entry = {
    title: textOf(item['title']),
    link: link === undefined ? null : attributeOf(link, 'href'),
    author: nodesOf(item['author']).flatMap((each) => textOf(each['name']) ?? [])[0] ?? null,
    publishedAt: timeOf(textOf(item['published'])),
    updatedAt: timeOf(textOf(item['updated'])),
    summary: textOf(item['summary']),
    content: textOf(item['content']),
    categories: nodesOf(item['category']).flatMap((each) => attributeOf(each, 'term') ?? []),
  };
  return { id: textOf(item['id']) ?? entry.link ?? hashOf(JSON.stringify(entry)), ...entry };
}

function listOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value].flat();
}

function nodeOf(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null ? (value as Node) : undefined;
}

function nodesOf(value: unknown): readonly Node[] {
  return listOf(value).flatMap((each): readonly Node[] => {
    const node = nodeOf(each);
    return node === undefined ? [] : [node];
  });
}

function attributeOf(node: Node, name: string): string | null {
  const value = node[`@${name}`];
  return typeof value === 'string' ? value : null;
}

function textOf(value: unknown): string | null {
  const first = listOf(value)[0];
  const text = typeof first === 'string' ? first : nodeOf(first)?.['#text'];
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** ISO 8601 if the date can be parsed, otherwise unchanged. */
function timeOf(text: string | null): string | null {
  if (text === null) return null;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('base64url').slice(0, 16);
}
