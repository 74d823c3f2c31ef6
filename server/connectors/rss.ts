import { Type } from 'typebox';
import { decodedBytes } from './content-encoding.ts';
import { defineConnector, SourceError, type Effects, type RowBatch, type RowSet } from './connector.ts';
import { charsetOf, decodedText } from './decoded-text.ts';
import { entriesOf, hashOf, type FeedEntry } from './feed-entries.ts';
import { findHttpProblem, findUrlProblem, headersOf, httpFields, type HttpConfig } from './http-fields.ts';
import { authorizationOf, request } from './http-requests.ts';
import { safePath } from './safe-path.ts';
import { sourceSentences } from './sentences.ts';

const maxFeedBytes = 64 * 1024 * 1024;
/** Number of remembered entries: far more than a feed shows at once. */
const maxKnown = 5000;

type Config = HttpConfig & { url: string; fileName?: string };

/** Hashes of known entries with the hash of their id, newest last; several entries of a feed may have one id. */
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
    return { message: sourceSentences.FEED_HAS.reason({ count: entries.length }), sample };
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

async function* readEntries(config: Config, effects: Effects, start: Known | undefined): AsyncGenerator<RowBatch> {
  const before = Map.groupBy(start?.entries ?? [], ([id]) => id);
  const now = new Map<string, Set<string>>();
  const lines: string[] = [];
  for (const entry of await readFeed(config, effects)) {
    const line = JSON.stringify(entry);
    const [id, content] = [hashOf(entry.id), hashOf(line)];
    const contents = now.get(id) ?? new Set();
    now.set(id, contents);
    const hashes = [content, ...earlierHashesOf(entry)];
    const isKnown = contents.has(content) || before.get(id)?.some(([, known]) => hashes.includes(known)) === true;
    contents.add(content);
    if (!isKnown) lines.push(line);
  }
  const gone = (start?.entries ?? []).filter(([id]) => !now.has(id));
  const shown = [...now].flatMap(([id, contents]) => [...contents].map((content): [string, string] => [id, content]));
  // Entries that the feed still shows are forgotten last.
  const position: Known = { entries: [...gone, ...shown].slice(-maxKnown) };
  yield { lines: Buffer.from(lines.map((line) => `${line}\n`).join('')), rows: lines.length, position };
}

async function readFeed(config: Config, effects: Effects): Promise<FeedEntry[]> {
  const answer = await request(effects, {
    url: config.url,
    headers: { ...headersOf(config), ...authorizationOf(config) },
    maxBytes: maxFeedBytes,
    totalMs: 120_000,
    signal: effects.signal,
  });
  const bytes = await decodedBytes(answer, maxFeedBytes);
  const sent = charsetOf(answer.headers.get('content-type'));
  const text = decodedText(bytes, { host: new URL(config.url).host, sent, declared: declaredIn(bytes) });
  try {
    return entriesOf(text, config.url);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(sourceSentences.FEED_UNREADABLE.reason({ url: config.url, why: (error as Error).message }), {
      cause: error,
    });
  }
}

/** The encoding that an XML declaration names. */
function declaredIn(bytes: Buffer): string | undefined {
  return /^[^>]{0,200}?encoding\s*=\s*["']([\w:.-]+)["']/.exec(bytes.subarray(0, 200).toString('latin1'))?.[1];
}

/** The hashes of an entry as releases before authors and enclosures stored it; its author was not the feed's. */
function earlierHashesOf({ authors: _authors, enclosures: _enclosures, ...entry }: FeedEntry): string[] {
  return [entry, { ...entry, author: null }].map((each) => hashOf(JSON.stringify(each)));
}
