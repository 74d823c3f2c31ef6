import { Type, type Static } from 'typebox';
import { createCrawl } from './crawl/crawl.ts';
import { defineConnector, SourceError } from './connector.ts';
import { findHttpProblem, findUrlProblem, httpFields } from './http-fields.ts';

const patterns = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { maxItems: 100, description }));
const choice = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], default: values[0], description });

const Config = Type.Object({
  startUrls: Type.Array(Type.String({ minLength: 1, maxLength: 2000 }), {
    minItems: 1,
    maxItems: 1000,
    description: 'Addresses to begin with; they have depth 0',
  }),
  scope: choice(
    ['SITE', 'HOST'],
    'Which links are followed. SITE: to all hosts of the registrable domain of a start URL. HOST: only to the hosts of the start URLs',
  ),
  maxPages: Type.Integer({
    default: 1000,
    minimum: 1,
    maximum: 100_000,
    description:
      'Most pages that are asked for in a run, whatever they answer; redirects and repeated attempts belong to their page',
  }),
  maxDepth: Type.Integer({
    default: 5,
    minimum: 0,
    maximum: 100,
    description: 'Most links from a start URL; 0: the start URLs alone',
  }),
  maxBytes: Type.Integer({
    default: 1_073_741_824,
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Most bytes that a run receives, robots.txt and sitemaps included',
  }),
  maxSeconds: Type.Integer({ default: 3600, minimum: 1, maximum: 604_800, description: 'Longest time for fetching' }),
  maxPageBytes: Type.Integer({
    default: 10_485_760,
    minimum: 1,
    maximum: 104_857_600,
    description: 'Largest page or document that is fetched',
  }),
  requestsPerSecond: Type.Number({
    default: 5,
    minimum: 0.01,
    maximum: 1000,
    description: 'Most requests to a host per second; a longer Crawl-delay of its robots.txt is kept',
  }),
  parallelPerHost: Type.Integer({ default: 1, minimum: 1, maximum: 8, description: 'Requests to one host at a time' }),
  format: choice(
    ['MARKDOWN', 'JSONL', 'HTML'],
    'MARKDOWN: the main content. JSONL: a row with address, title, language, author, date and main content as Markdown. HTML: the page as it was sent. One file for each page',
  ),
  documents: Type.Boolean({
    default: false,
    description: 'Whether PDF, office documents, CSV, JSON and XML are fetched too, as they are',
  }),
  sitemaps: Type.Boolean({
    default: true,
    description: 'Whether the sitemaps that robots.txt names, or /sitemap.xml, are read for links',
  }),
  reserved: choice(
    ['KEEP', 'LEAVE_OUT'],
    'Pages that reserve text and data mining (TDM Reservation Protocol) or say noai. KEEP: they are taken, with the reservation in their evidence. LEAVE_OUT: they are not',
  ),
  include: patterns('Patterns of paths to fetch, such as docs/** or **/2026/*; start URLs are fetched in any case'),
  exclude: patterns('Patterns of paths to leave out'),
  maxQueryVariants: Type.Integer({
    default: 500,
    minimum: 1,
    maximum: 100_000,
    description: 'Most addresses of one path that differ only in their query: calendars and searches have endless ones',
  }),
  ...httpFields,
});
export type CrawlConfig = Static<typeof Config>;

export const webCrawl = defineConnector({
  type: 'web-crawl',
  name: 'Pages of a website',
  description:
    'Follows links from start URLs within their site and keeps the main content of each page. Obeys robots.txt, noindex and nofollow; budgets of pages, bytes and time are never exceeded. Every address that is seen is listed: taken, unchanged, left out or failed, with its reason. Later runs keep only pages that have changed.',
  incremental: true,
  parallel: 8,
  config: Config,

  validate(config) {
    for (const [index, url] of config.startUrls.entries()) {
      const problem = findUrlProblem(url);
      if (problem !== undefined) return { field: `startUrls.${index}`, problem };
    }
    return findHttpProblem(config);
  },

  destinationsOf: ({ startUrls }) => startUrls.map((url) => URL.parse(url)?.origin ?? url),

  async check(config, effects) {
    const limits = { maxPages: 1, maxDepth: 1, maxSeconds: Math.min(config.maxSeconds, 50), sitemaps: false };
    const crawl = createCrawl({ ...config, ...limits }, effects);
    try {
      const { message, sample } = await crawl.tryStart();
      if (sample === undefined) throw new SourceError(message);
      return { message, sample: [sample] };
    } finally {
      crawl.end();
    }
  },

  async *read(config, effects) {
    const crawl = createCrawl(config, effects);
    try {
      yield* crawl.items();
    } finally {
      crawl.end();
    }
  },
});
