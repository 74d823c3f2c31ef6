import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { OutgoingError } from '../outgoing/index.ts';
import { AnswerTooLarge, decodedBytes } from './content-encoding.ts';
import { defineConnector, SourceError, type Effects, type RowBatch, type RowSet } from './connector.ts';
import { findHttpProblem, findUrlProblem, headersOf, httpFields, type HttpConfig } from './http-fields.ts';
import { authorizationOf, request } from './http-requests.ts';
import { parseExactly } from '../kernel/exact-json.ts';
import { linkTo } from './link-header.ts';
import { safePath } from './safe-path.ts';
import { sourceSentences } from './sentences.ts';

const param = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });
const size = Type.Integer({ default: 100, minimum: 1, maximum: 100_000, description: 'Records per request' });

const Paging = Type.Union([
  Type.Object({
    type: Type.Literal('PAGE'),
    pageParam: param('Query parameter for the page number'),
    sizeParam: Type.Optional(param('Query parameter for the records per page')),
    size: Type.Optional(size),
    firstPage: Type.Integer({ default: 1, minimum: 0, maximum: 1_000_000 }),
  }),
  Type.Object({
    type: Type.Literal('OFFSET'),
    offsetParam: param('Query parameter for the number of records to skip'),
    limitParam: Type.Optional(param('Query parameter for the records per page')),
    size: Type.Optional(size),
  }),
  Type.Object({
    type: Type.Literal('CURSOR'),
    cursorParam: param('Query parameter for the cursor'),
    cursorPath: Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'Path to the next cursor or next URL in a response',
    }),
  }),
  Type.Object({ type: Type.Literal('LINK') }),
]);
type PagingRule = Static<typeof Paging>;

const [usualAnswerBytes, mostAnswerBytes] = [64 * 1024 * 1024, 256 * 1024 * 1024];
const sampleRecords = 5;

export const httpApi = defineConnector({
  type: 'http-api',
  name: 'JSON API',
  description:
    'Reads the records of a JSON API page by page: by page number, offset, cursor or Link header. Requests to busy servers are retried as Retry-After says; paging that repeats itself ends the run with an error.',
  incremental: false,
  config: Type.Object({
    url: Type.String({ minLength: 1, maxLength: 4000, description: 'URL of the first page' }),
    recordsPath: Type.String({
      default: '',
      maxLength: 300,
      description: 'Path to the list of records in a response, such as data.items; empty if the response is the list',
    }),
    paging: Type.Optional(Paging),
    requestsPerSecond: Type.Optional(
      Type.Number({ minimum: 0.01, maximum: 1000, description: 'Maximum requests per second' }),
    ),
    fileName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Name of the file in the dataset, without extension' }),
    ),
    timeoutSeconds: Type.Integer({ default: 120, minimum: 1, maximum: 3600, description: 'Time limit per page' }),
    maxAnswerBytes: Type.Integer({
      default: usualAnswerBytes,
      minimum: 1024,
      maximum: mostAnswerBytes,
      description: 'Maximum response size. A response takes several times its size in memory',
    }),
    ...httpFields,
  }),

  validate(config) {
    const problem = findUrlProblem(config.url);
    return problem === undefined ? findHttpProblem(config) : { field: 'url', problem };
  },

  destinationsOf: ({ url }) => [URL.parse(url)?.origin ?? url],

  async check(config, effects) {
    const { records } = await readPage(config, effects, new URL(config.url), true);
    const message =
      records.length === 0
        ? 'The API responds but returned no records'
        : `The API responds; records on the first page: ${records.length}`;
    return { message, sample: records.slice(0, sampleRecords).map((record) => ({ ...asObject(record) })) };
  },

  async *read(config, effects) {
    const name = config.fileName ?? nameOf(config.url);
    const set: RowSet = {
      kind: 'rows',
      key: JSON.stringify([config.url, config.recordsPath]),
      name: config.url,
      path: safePath([name]),
      isIncremental: false,
      read: () => readPages(config, effects),
    };
    yield set;
  },
});

type Config = HttpConfig & {
  url: string;
  recordsPath: string;
  paging?: PagingRule;
  requestsPerSecond?: number;
  timeoutSeconds: number;
  /** Missing in tasks of earlier versions. */
  maxAnswerBytes?: number;
};

type ApiPage = { records: readonly unknown[]; body: unknown; link: string | null; digest: string };

async function* readPages(config: Config, effects: Effects): AsyncGenerator<RowBatch> {
  const origin = new URL(config.url).origin;
  const seen = new Set<string>();
  let url: URL | undefined = firstUrl(config);
  let records = 0;
  for (let page = 1; url !== undefined; page += 1) {
    if (seen.has(url.href)) throw new SourceError(sourceSentences.PAGE_AGAIN.reason({ page, url: url.href }));
    seen.add(url.href);
    if (url.origin !== origin)
      throw new SourceError(sourceSentences.PAGE_ELSEWHERE.reason({ page, origin: url.origin, home: origin }));
    const found = await readPage(config, effects, url, page === 1);
    if (found === undefined || found.records.length === 0) return;
    if (seen.has(found.digest)) throw new SourceError(sourceSentences.PAGE_SAME_RECORDS.reason({ page }));
    seen.add(found.digest);
    const lines = found.records.map((record) => JSON.stringify(asObject(record)));
    yield { lines: Buffer.from(`${lines.join('\n')}\n`), rows: lines.length };
    records += lines.length;
    url = nextUrl(config, { url, page, records, found });
    if (url !== undefined && config.requestsPerSecond !== undefined)
      await effects.pause(1000 / config.requestsPerSecond);
  }
}

/** One page; undefined if the page after the last one is requested and missing. */
async function readPage(config: Config, effects: Effects, url: URL, isFirst: true): Promise<ApiPage>;
async function readPage(config: Config, effects: Effects, url: URL, isFirst: boolean): Promise<ApiPage | undefined>;
async function readPage(config: Config, effects: Effects, url: URL, isFirst: boolean): Promise<ApiPage | undefined> {
  const call = {
    url: url.href,
    headers: { accept: 'application/json', ...headersOf(config), ...authorizationOf(config) },
    maxBytes: config.maxAnswerBytes ?? usualAnswerBytes,
    totalMs: config.timeoutSeconds * 1000,
    signal: effects.signal,
  };
  let answer: Response;
  try {
    answer = await request(effects, call);
  } catch (error) {
    // Some APIs answer 404 after the last page.
    if (!isFirst && config.paging?.type === 'PAGE' && error instanceof SourceError && error.message.endsWith('(404)'))
      return undefined;
    throw error;
  }
  const text = new TextDecoder().decode(await readAnswer(config, url, answer));
  let body: unknown;
  try {
    body = parseExactly(text);
  } catch (error) {
    const type = answer.headers.get('content-type') ?? 'no type';
    throw new SourceError(sourceSentences.PAGE_NO_JSON.reason({ host: url.host, type, text: text.slice(0, 80) }), {
      cause: error,
    });
  }
  const records = at(body, config.recordsPath);
  if (!Array.isArray(records)) throw new SourceError(noList(url.host, config.recordsPath, body));
  const digest = createHash('sha256').update(JSON.stringify(records)).digest('base64url');
  return { records, body, link: answer.headers.get('link'), digest };
}

async function readAnswer({ maxAnswerBytes = usualAnswerBytes }: Config, url: URL, answer: Response): Promise<Buffer> {
  try {
    return await decodedBytes(answer, maxAnswerBytes);
  } catch (error) {
    const isTooLarge =
      (error instanceof OutgoingError && error.problem === 'too-large') || error instanceof AnswerTooLarge;
    if (!isTooLarge) throw error;
    throw new SourceError(sourceSentences.ANSWER_HAS_MORE.reason({ host: url.host, limit: maxAnswerBytes }), {
      cause: error,
    });
  }
}

function firstUrl({ url, paging }: Config): URL {
  const first = new URL(url);
  if (paging?.type === 'PAGE') {
    first.searchParams.set(paging.pageParam, String(paging.firstPage));
    if (paging.sizeParam !== undefined) first.searchParams.set(paging.sizeParam, String(paging.size ?? 100));
  }
  if (paging?.type === 'OFFSET') {
    first.searchParams.set(paging.offsetParam, '0');
    if (paging.limitParam !== undefined) first.searchParams.set(paging.limitParam, String(paging.size ?? 100));
  }
  return first;
}

/** The URL of the next page; undefined after the last one. A short page is not the end: servers may return less than requested. */
function nextUrl(
  { paging }: Config,
  { url, page, records, found }: { url: URL; page: number; records: number; found: ApiPage },
): URL | undefined {
  const next = new URL(url);
  switch (paging?.type) {
    case undefined:
      return undefined;
    case 'PAGE':
      next.searchParams.set(paging.pageParam, String(paging.firstPage + page));
      return next;
    case 'OFFSET':
      next.searchParams.set(paging.offsetParam, String(records));
      return next;
    case 'CURSOR': {
      const cursor = at(found.body, paging.cursorPath);
      if (cursor === null || cursor === undefined || cursor === '' || cursor === false) return undefined;
      if (typeof cursor !== 'string' && typeof cursor !== 'number')
        throw new SourceError(
          sourceSentences.NO_CURSOR.reason({ path: paging.cursorPath, found: JSON.stringify(cursor).slice(0, 80) }),
        );
      const text = String(cursor);
      if (/^https?:\/\//.test(text)) return URL.parse(text) ?? undefined;
      next.searchParams.set(paging.cursorParam, text);
      return next;
    }
    case 'LINK': {
      const target = linkTo('next', found.link);
      return target === undefined ? undefined : (URL.parse(target, url.href) ?? undefined);
    }
  }
}

function at(body: unknown, path: string): unknown {
  if (path === '') return body;
  return path.split('.').reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    return (value as Record<string, unknown>)[key];
  }, body);
}

function noList(host: string, path: string, body: unknown): string {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const keys = isObject ? `; it has ${Object.keys(body).slice(0, 10).join(', ')}` : '';
  return path === ''
    ? `the answer of ${host} is no list; set recordsPath to where it is${keys}`
    : `the answer of ${host} has no list at ${path}${keys}`;
}

function asObject(record: unknown): object {
  return typeof record === 'object' && record !== null && !Array.isArray(record) ? record : { value: record };
}

function nameOf(url: string): string {
  const { pathname, hostname } = new URL(url);
  return pathname.split('/').findLast((segment) => segment !== '') ?? hostname;
}
