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
    description: 'URLs to start from; they have depth 0',
  }),
  scope: choice(
    ['SITE', 'HOST'],
    'Which links to follow. SITE: to all hosts of the registrable domain of a start URL. HOST: only to the hosts of the start URLs',
  ),
  maxPages: Type.Integer({
    default: 1000,
    minimum: 1,
    maximum: 100_000,
    description:
      'Maximum pages requested per run, whatever their response; redirects and retries count with their page',
  }),
  maxDepth: Type.Integer({
    default: 5,
    minimum: 0,
    maximum: 100,
    description: 'Maximum links from a start URL; 0: only the start URLs',
  }),
  maxBytes: Type.Integer({
    default: 1_073_741_824,
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Maximum bytes received per run, including robots.txt and sitemaps',
  }),
  maxSeconds: Type.Integer({ default: 3600, minimum: 1, maximum: 604_800, description: 'Time limit for fetching' }),
  maxPageBytes: Type.Integer({
    default: 10_485_760,
    minimum: 1,
    maximum: 104_857_600,
    description: 'Maximum size of a page or document',
  }),
  requestsPerSecond: Type.Number({
    default: 5,
    minimum: 0.01,
    maximum: 1000,
    description: 'Maximum requests per second to one host; a longer Crawl-delay in its robots.txt is respected',
  }),
  parallelPerHost: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 8,
    description: 'Maximum concurrent requests to one host',
  }),
  format: choice(
    ['MARKDOWN', 'JSONL', 'HTML'],
    'One file per page. MARKDOWN: the main content. JSONL: a row with URL, title, language, author, date and main content as Markdown. HTML: the page as received',
  ),
  documents: Type.Boolean({
    default: false,
    description: 'Also fetch PDF, office documents, CSV, JSON and XML, unchanged',
  }),
  sitemaps: Type.Boolean({
    default: true,
    description: 'Also read links from the sitemaps listed in robots.txt, or from /sitemap.xml',
  }),
  reserved: choice(
    ['KEEP', 'LEAVE_OUT'],
    'What to do with pages that reserve text and data mining (TDM Reservation Protocol) or say noai. KEEP: fetch them and record the reservation in their evidence. LEAVE_OUT: skip them',
  ),
  include: patterns('Patterns of paths to fetch, such as docs/** or **/2026/*; start URLs are always fetched'),
  exclude: patterns('Patterns of paths to skip'),
  maxQueryVariants: Type.Integer({
    default: 500,
    minimum: 1,
    maximum: 100_000,
    description:
      'Maximum URLs of one path that differ only in their query; calendars and searches can have endless ones',
  }),
  ...httpFields,
});
export type CrawlConfig = Static<typeof Config>;

export const webCrawl = defineConnector({
  type: 'web-crawl',
  name: 'Website',
  description:
    'Crawls a website from start URLs and keeps the main content of each page. Obeys robots.txt, noindex and nofollow; limits on pages, bytes and time are never exceeded. Every URL found is listed as collected, unchanged, skipped or failed, with the reason. Later runs keep only pages that have changed.',
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
