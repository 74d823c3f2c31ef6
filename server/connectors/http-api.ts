import { createHash } from 'node:crypto';
import type { Reason } from '../kernel/sentences/index.ts';
import { Type } from 'typebox';
import { OutgoingError } from '../outgoing/index.ts';
import { AnswerTooLarge, decodedBytes } from './content-encoding.ts';
import { defineConnector, SourceError, type Effects, type RowBatch, type RowSet } from './connector.ts';
import { charsetOf, decodedText } from './decoded-text.ts';
import { findHttpProblem, findUrlProblem, headersOf, httpFields, type HttpConfig } from './http-fields.ts';
import { authorizationOf, isPartOfBytes, partProblem, request, statusProblem, StatusError } from './http-requests.ts';
import { parseExactly } from '../kernel/exact-json.ts';
import { linkTo } from './link-header.ts';
import { findMember, parseMemberPath } from './member-path.ts';
import { firstUrl, nextUrl, Paging, saysNext, type PagingRule } from './paging.ts';
import { safePath } from './safe-path.ts';
import { configProblems, sourceSentences } from './sentences.ts';

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
    if (problem !== undefined) return { field: 'url', problem };
    if (parseMemberPath(config.recordsPath) === undefined)
      return { field: 'recordsPath', problem: configProblems.IS_NO_PATH.reason({}) };
    if (config.paging?.type === 'CURSOR' && parseMemberPath(config.paging.cursorPath) === undefined)
      return { field: 'paging.cursorPath', problem: configProblems.IS_NO_PATH.reason({}) };
    return findHttpProblem(config);
  },

  destinationsOf: ({ url }) => [URL.parse(url)?.origin ?? url],

  async check(config, effects) {
    const found = await readPage(config, effects, firstUrl(config.url, config.paging), true);
    const { records } = found;
    const answers =
      records.length === 0
        ? sourceSentences.API_WITHOUT_RECORDS.reason({})
        : sourceSentences.API_HAS_RECORDS.reason({ count: records.length });
    const doubt = findDoubt(config, found);
    const message = doubt === undefined ? answers : sourceSentences.ANSWERS_WITH_DOUBT.reason({ answers, doubt });
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

/** Pages without records that are read in a row: some APIs filter after they have cut the pages. */
const maxEmptyPages = 50;

async function* readPages(config: Config, effects: Effects): AsyncGenerator<RowBatch> {
  const { paging } = config;
  const origin = new URL(config.url).origin;
  const seen = new Set<string>();
  let url: URL | undefined = firstUrl(config.url, paging);
  let records = 0;
  let doubt: Reason | undefined;
  let empty = 0;
  for (let page = 1; url !== undefined; page += 1) {
    if (seen.has(url.href)) {
      // Some APIs give the cursor of the last page again and again.
      if (empty > 0) break;
      throw new SourceError(sourceSentences.PAGE_AGAIN.reason({ page, url: url.href }));
    }
    seen.add(url.href);
    if (url.origin !== origin)
      throw new SourceError(sourceSentences.PAGE_ELSEWHERE.reason({ page, origin: url.origin, home: origin }));
    const found = await readPage(config, effects, url, page === 1);
    if (found === undefined) break;
    const wasDoubtful: boolean = page === 1 || doubt !== undefined;
    doubt = wasDoubtful ? findDoubt(config, found) : undefined;
    empty = found.records.length === 0 ? empty + 1 : 0;
    if (empty > 0 && (paging?.type === 'PAGE' || paging?.type === 'OFFSET')) break;
    if (empty > maxEmptyPages) {
      await effects.log('WARN', sourceSentences.PAGES_EMPTY.reason({ count: empty, page }));
      break;
    }
    if (empty === 0) {
      if (seen.has(found.digest)) throw new SourceError(sourceSentences.PAGE_SAME_RECORDS.reason({ page }));
      seen.add(found.digest);
      const lines = found.records.map((record) => JSON.stringify(asObject(record)));
      yield { lines: Buffer.from(`${lines.join('\n')}\n`), rows: lines.length };
      records += lines.length;
    }
    url = nextUrl(paging, { url, page, records, answer: found });
    if (url !== undefined && config.requestsPerSecond !== undefined)
      await effects.pause(1000 / config.requestsPerSecond);
  }
  if (doubt !== undefined) await effects.log('WARN', doubt);
}

/** Why an answer may not be the last page although nothing is read after it. */
function findDoubt({ paging, url }: Config, found: ApiPage): Reason | undefined {
  if (paging === undefined) {
    const next = linkTo('next', found.link, url);
    return next === undefined ? undefined : sourceSentences.PAGING_NOT_SET.reason({ url: next });
  }
  if (saysNext(paging, found)) return undefined;
  if (paging.type === 'CURSOR') return sourceSentences.CURSOR_NOT_THERE.reason({ path: paging.cursorPath });
  return sourceSentences.LINK_NOT_THERE.reason({});
}

/** What APIs answer to a page after the last one. */
const endStatuses: ReadonlySet<number> = new Set([400, 404, 416, 422]);

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
    // No content is a page without records, and some APIs answer with a part of their records.
    accepts: (status: number) => status === 204 || status === 205 || status === 206,
  };
  let answer: Response;
  try {
    answer = await request(effects, call);
    if (answer.status === 416) {
      await answer.body?.cancel();
      throw new StatusError(statusProblem(url.host, answer.status, 1), answer.status);
    }
  } catch (error) {
    const isCounted = config.paging?.type === 'PAGE' || config.paging?.type === 'OFFSET';
    if (isFirst || !isCounted || !(error instanceof StatusError) || !endStatuses.has(error.status)) throw error;
    // A wrong parameter may also mean that the API shows no more pages than a limit of its own.
    if (error.status !== 404)
      await effects.log('WARN', sourceSentences.PAGES_END_REFUSED.reason({ url: url.href, status: error.status }));
    return undefined;
  }
  if (answer.status === 204 || answer.status === 205)
    return { records: [], body: null, link: answer.headers.get('link'), digest: '' };
  if (isPartOfBytes(answer)) {
    await answer.body?.cancel();
    throw new SourceError(partProblem(url.host, answer));
  }
  const sent = charsetOf(answer.headers.get('content-type'));
  const text = decodedText(await readAnswer(config, url, answer), { host: url.host, sent });
  let body: unknown;
  try {
    body = parseExactly(text);
  } catch (error) {
    const type = answer.headers.get('content-type') ?? 'no type';
    throw new SourceError(sourceSentences.PAGE_NO_JSON.reason({ host: url.host, type, text: text.slice(0, 80) }), {
      cause: error,
    });
  }
  const records = findMember(body, parseMemberPath(config.recordsPath) ?? [])?.value;
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

function noList(host: string, path: string, body: unknown): Reason {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return path === ''
      ? sourceSentences.ANSWER_NO_LIST.reason({ host })
      : sourceSentences.ANSWER_NO_LIST_AT.reason({ host, path });
  const keys = Object.keys(body).slice(0, 10).join(', ');
  return path === ''
    ? sourceSentences.ANSWER_NO_LIST_KEYS.reason({ host, keys })
    : sourceSentences.ANSWER_NO_LIST_AT_KEYS.reason({ host, path, keys });
}

function asObject(record: unknown): object {
  return typeof record === 'object' && record !== null && !Array.isArray(record) ? record : { value: record };
}

function nameOf(url: string): string {
  const { pathname, hostname } = new URL(url);
  return pathname.split('/').findLast((segment) => segment !== '') ?? hostname;
}
